import { Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiOperation, type ApiOperationOptions } from '@nestjs/swagger';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { membersOf } from './validators.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the operation in logs, metrics, traces and the OpenAPI document: that of the controller's method. */
    readonly operation?: string;
    /** Needs no key, and counts as a public document. */
    readonly public?: boolean;
    /** What a public document uses up of the limit; 1 where absent. */
    readonly cost?: number;
    /** A probe of a balancer, which comes every few seconds: no limit, log, metric or trace has it. */
    readonly probe?: boolean;
    /** The names of the query parameters; absent where any are ignored. */
    readonly queryParameters?: ReadonlySet<string>;
  }
  interface FastifyRequest {
    /** For `routeConfigOf` alone. */
    routeConfig: FastifyContextConfig | null;
  }
}

/** The configuration of a route, set by decorators such as `@Public()`. Cached, because Fastify creates `routeOptions` anew each time. */
export const routeConfigOf = (request: FastifyRequest): FastifyContextConfig =>
  (request.routeConfig ??= request.routeOptions.config);

interface OperationOptions extends ApiOperationOptions {
  /** What is shown in lists of operations. */
  readonly summary: string;
  /** The class of the handler's query, whose members are the parameters of the operation. */
  readonly query?: new () => unknown;
}

/** An operation of the API. Every route is one, or `@Public()`. */
export const Operation =
  ({ query, ...described }: OperationOptions): MethodDecorator =>
  (controller, name, descriptor) => {
    const queryParameters = new Set(query === undefined ? [] : membersOf(query));
    RouteConfig({ operation: String(name), queryParameters })(controller, name, descriptor);
    ApiOperation(described)(controller, name, descriptor);
  };

/** The handler returns JSON as text, which PostgreSQL has written: it is sent as it is. */
export const JsonText = (): MethodDecorator => Header('content-type', 'application/json; charset=utf-8');

/** A public document: it needs no key, and has a limit of its own by client address, which its rate-limit headers describe. */
export const Public = (): MethodDecorator => (controller, name, descriptor) =>
  RouteConfig({ public: true, operation: String(name) })(controller, name, descriptor);

/** What a page consists of: a load of the page, with all of them, counts as some two documents. */
export const PartOfPage = (operation: string): MethodDecorator =>
  RouteConfig({ public: true, operation, cost: 1 / 16 });

/** Public, and counts for nothing. */
export const Probe = (): MethodDecorator => (controller, name, descriptor) =>
  RouteConfig({ public: true, probe: true, operation: String(name) })(controller, name, descriptor);
