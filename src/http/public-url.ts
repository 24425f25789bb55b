/** Makes the links of responses: absolute when the public origin is configured, else path-absolute. */
export class PublicUrl {
  constructor(private readonly origin: string) {}

  to(path: string): string {
    return `${this.origin}${path}`;
  }
}
