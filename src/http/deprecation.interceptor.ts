import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { ApiError, type Headers } from '../errors/api-error.js';
import { Clock } from '../auth/admission/clock.js';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.module.js';

/** An operation that will be removed. */
export interface Deprecation {
  readonly deprecatedAt: Date;
  readonly removedAt: Date;
  /** The successor of a request, by its path parameters. */
  readonly successorOf: (parameters: Readonly<Record<string, string>>) => string;
  /** What replaces it, in the document. */
  readonly replacement: string;
  /** The path of the page that explains the deprecation. */
  readonly documentation: string;
}

const DEPRECATION = Reflector.createDecorator<Deprecation>();

/** Announces the removal of a deprecated operation on each response of its handler, and responds 410 from the removal date on. */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  constructor(
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl'>,
    private readonly reflector: Reflector,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
    const deprecation = this.reflector.get(DEPRECATION, context.getHandler());
    const { removedAt } = deprecation;
    const successor = deprecation.successorOf(request.params);
    const headers = deprecationHeaders(deprecation, successor, this.config.publicUrl);
    http.getResponse<FastifyReply>().headers(headers);
    if (this.clock.nowMs() < removedAt.getTime()) return next.handle();
    throw new ApiError(
      'operation_removed',
      `This operation was removed on ${dateOf(removedAt)}. Use ${successor} instead.`,
    );
  }
}

/** Marks an operation as deprecated, for the interceptor. */
export const Deprecated = (deprecation: Deprecation): MethodDecorator =>
  applyDecorators(
    DEPRECATION(deprecation),
    UseInterceptors(DeprecationInterceptor),
    ApiExtension('x-sunset', dateOf(deprecation.removedAt)),
  );

/** The end of the description of a deprecated operation. */
export const deprecationNotice = ({ removedAt, replacement }: Deprecation): string =>
  `Deprecated. From ${dateOf(removedAt)} on it returns 410. Use ${replacement} instead.`;

const dateOf = (instant: Date): string => instant.toISOString().slice(0, 10);

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594), with their links. */
function deprecationHeaders(deprecation: Deprecation, successor: string, origin: string): Headers {
  const { deprecatedAt, removedAt, documentation } = deprecation;
  return {
    deprecation: `@${deprecatedAt.getTime() / 1000}`,
    sunset: removedAt.toUTCString(),
    link: [
      `<${origin}${documentation}>; rel="deprecation"`,
      `<${origin}${documentation}>; rel="sunset"`,
      `<${origin}${successor}>; rel="successor-version"`,
    ].join(', '),
  };
}
