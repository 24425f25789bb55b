import { type DynamicModule, Global, Module } from '@nestjs/common';

/** The service's time: the database's, not the replica's (see `DatabaseClock`). */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract nowMs(): number;
}

/** Makes the links of responses: absolute when the public origin is configured, else path-absolute. */
export class PublicUrl {
  constructor(private readonly origin: string) {}

  to(path: string): string {
    return `${this.origin}${path}`;
  }
}

/** What controllers and interceptors inject. */
@Global()
@Module({})
export class HttpModule {
  static register(publicUrl: PublicUrl, clock: Clock): DynamicModule {
    return {
      module: HttpModule,
      providers: [
        { provide: PublicUrl, useValue: publicUrl },
        { provide: Clock, useValue: clock },
      ],
      exports: [PublicUrl, Clock],
    };
  }
}
