import { Header, type Type } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { ErrorCode } from './errors/error-codes.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the controller's method: logs, metrics, traces and the OpenAPI document know the operation by it. */
    readonly operation?: string;
    /** What the OpenAPI document says of it. */
    readonly notes?: OperationNotes;
    /** Needs no key and is not counted. */
    readonly public?: boolean;
  }
  interface FastifyRequest {
    /** For `routeConfigOf` alone. */
    routeConfig: FastifyContextConfig | null;
  }
}

/** What a route says of itself, by decorators such as `@Public()`. Kept, as Fastify makes `routeOptions` anew each time. */
export const routeConfigOf = (request: FastifyRequest): FastifyContextConfig =>
  (request.routeConfig ??= request.routeOptions.config);

const ROUTE_METADATA = 'petstore:route';

/** Adds to what a route says of itself: the decorators of a method add up, where `RouteConfig` alone replaces. */
export const RouteSays =
  (part: FastifyContextConfig): MethodDecorator =>
  (controller, name, descriptor) => {
    const before = Reflect.getMetadata(ROUTE_METADATA, controller, name) as FastifyContextConfig | undefined;
    const config = { operation: String(name), ...before, ...part };
    Reflect.defineMetadata(ROUTE_METADATA, config, controller, name);
    RouteConfig(config)(controller, name, descriptor);
  };

/** The handler returns JSON as text, which PostgreSQL has written: it is sent as it is. */
export const JsonText = (): MethodDecorator => Header('content-type', 'application/json; charset=utf-8');

/** An operation that needs no key. Its rate-limit headers describe the client address, which it does not count against. */
export const Public = (): MethodDecorator => RouteSays({ public: true });

/**
 * What the OpenAPI document says of an operation beyond its route, which gives method, path, path
 * parameters and the schema of the response.
 */
export interface OperationNotes {
  /** The group that it stands in. */
  readonly tag: string;
  /** In a few words, without a full stop. */
  readonly summary: string;
  readonly description: string;
  /** What a success means. */
  readonly success: string;
  /** The body of a success; `bigint` and `Date` are written as the service writes them. */
  readonly example: unknown;
  /** The DTO of its query. */
  readonly query?: Type;
  /** The DTO of its body. */
  readonly body?: Type;
  /** A body that is sent. */
  readonly requestExample?: unknown;
  /** Errors that only the handler responds with. */
  readonly codes?: readonly ErrorCode[];
}

/** Puts an operation into the OpenAPI document. Its identifier there is the name of the method. */
export const Operation =
  (notes: OperationNotes): MethodDecorator =>
  (controller, name, descriptor) => {
    const taken = (Reflect.getMetadata('design:paramtypes', controller, name) ?? []) as readonly unknown[];
    for (const dto of [notes.query, notes.body]) {
      if (dto === undefined || taken.includes(dto)) continue;
      throw new Error(`${controller.constructor.name}.${String(name)} does not take ${dto.name}`);
    }
    RouteSays({ notes })(controller, name, descriptor);
  };

export const DESCRIPTION_METADATA = 'petstore:description';

/** What a member of a DTO means, where that differs from the same member of the response. */
export const Described =
  (description: string): PropertyDecorator =>
  (prototype, name) =>
    Reflect.defineMetadata(DESCRIPTION_METADATA, description, prototype, name);
