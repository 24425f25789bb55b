import { Global, Module, type NestModule } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import { ErrorFilter } from '../errors/error.filter.js';
import type { HttpAdapter } from './http-adapter.js';
import { RequestPipeline } from './pipeline.js';
import { QueryParametersGuard } from './query-parameters.guard.js';

/** The request pipeline, with the exception filter of all routes. */
@Global()
@Module({
  providers: [RequestPipeline, QueryParametersGuard, { provide: APP_FILTER, useClass: ErrorFilter }],
  exports: [QueryParametersGuard],
})
export class HttpModule implements NestModule {
  constructor(
    private readonly host: HttpAdapterHost<HttpAdapter>,
    private readonly pipeline: RequestPipeline,
  ) {}

  /** Called before Nest registers the routes: Fastify runs a hook only for routes that are added after it. */
  configure(): void {
    this.host.httpAdapter.installPipeline(this.pipeline);
  }
}
