import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Clock } from './clock.js';
import { PublicUrl } from './public-url.js';

/** What controllers and interceptors need of the edge. */
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
