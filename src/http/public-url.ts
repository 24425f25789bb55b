/** Makes the links of answers: absolute when the service was told its public origin, else path-absolute. */
export class PublicUrl {
  constructor(private readonly origin: string) {}

  to(path: string): string {
    return `${this.origin}${path}`;
  }
}
