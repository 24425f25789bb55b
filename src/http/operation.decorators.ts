import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBearerAuth, ApiOperation, type ApiOperationOptions, ApiParam } from '@nestjs/swagger';
import { membersOf } from './validators.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The names of the query parameters; absent where any are ignored. */
    readonly queryParameters?: ReadonlySet<string>;
  }
}

interface OperationOptions extends ApiOperationOptions {
  /** What is shown in lists of operations. */
  readonly summary: string;
  /** The class of the handler's query, whose members are the parameters of the operation. */
  readonly query?: new () => unknown;
}

/** An operation of the API, for callers with a key. Every route is one, or `@Public()`. */
export const Operation =
  ({ query, ...described }: OperationOptions): MethodDecorator =>
  (controller, name, descriptor) => {
    const queryParameters = new Set(query === undefined ? [] : membersOf(query));
    RouteConfig({ operation: String(name), queryParameters })(controller, name, descriptor);
    ApiBearerAuth('apiKey')(controller, name, descriptor);
    ApiOperation(described)(controller, name, descriptor);
  };

/** The identifier in the path of an operation; its example is in a new store. */
export const ApiId = (name: string, example = 1): MethodDecorator =>
  ApiParam({
    name,
    description: 'The identifier. Anything but a decimal int64 is 404.',
    schema: { type: 'integer', format: 'int64', examples: [example] },
  });
