import type { ArgumentMetadata } from '@nestjs/common';
import type { RouteParamtypes } from '@nestjs/common/internal';
import {
  ContextUtils,
  ExecutionContextHost,
  type GuardsContextCreator,
  type InterceptorsContextCreator,
  ParamsTokenFactory,
  type PipesContextCreator,
  STATIC_CONTEXT,
} from '@nestjs/core/internal';
import { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isDirect } from './direct-step.js';

/**
 * Lets Nest run handlers by plain calls where it can: guards, interceptors, pipes and handler, in Nest's order. Its own way
 * leads through a dozen async functions and, past an interceptor, a chain of rxjs subscriptions for each request: a fifth of
 * all that reading an animal costs the process (24 of 129 µs), and 44 µs more where there is an interceptor. A handler with a
 * step that is not direct, or with decorators for its answer, goes Nest's way. This reaches into Nest, whose version is pinned;
 * its test fails when the inside changes.
 */
export function runHandlersDirectly(): void {
  RouterExecutionContext.prototype.create = createDirectly;
}

// oxlint-disable-next-line typescript/unbound-method -- it is called with a context below
const createByNest = RouterExecutionContext.prototype.create;

const createDirectly: typeof createByNest = function (this: RouterExecutionContext, ...route) {
  const [instance, callback, methodName, moduleKey, requestMethod, contextId, inquirerId] = route;
  const inside = this as unknown as Inside;
  const creatorArgs = [instance, callback, moduleKey, contextId, inquirerId] as const;
  const steps = [
    ...inside.guardsContextCreator.create(...creatorArgs),
    ...inside.interceptorsContextCreator.create(...creatorArgs),
  ];
  const metadata = this.getMetadata(instance, callback, methodName, moduleKey, requestMethod, 'http');
  const properties = metadata.getParamsMetadata(moduleKey, contextId, inquirerId);
  const isAnswerDecorated =
    metadata.isSseHandler ||
    metadata.hasCustomHeaders ||
    this.reflectRedirect(callback) !== undefined ||
    this.reflectRenderTemplate(callback) !== undefined ||
    inside.isResponseHandled(instance, methodName, properties);
  const isStatic = contextId === undefined || contextId === STATIC_CONTEXT;
  if (isAnswerDecorated || !isStatic || !steps.every(isDirect)) return createByNest.apply(this, route);

  const { argsLength, httpStatusCode, paramtypes } = metadata;
  const respond = metadata.fnHandleResponse as Respond;
  const pipes = inside.pipesContextCreator.create(...creatorArgs);
  const parameters = new ContextUtils().mergeParamsMetatypes(properties, paramtypes).map((parameter) => ({
    index: parameter.index,
    extract: parameter.extractValue as Extract,
    // Undefined for what is not awaited: a reply is a thenable, too, and waits for the answer.
    pipes: this.isPipeable(parameter.type) ? [...pipes, ...parameter.pipes] : undefined,
    metadata: argumentMetadata(parameter),
  }));

  return async (request, reply, next) => {
    const call = [request, reply, next] as const;
    const context = new ExecutionContextHost([...call], instance.constructor as Controller, callback);
    for (const step of steps) step.beforeHandler(context);
    const args: unknown[] = Array(argsLength).fill(null);
    for (const { index, extract, pipes: own, metadata: argument } of parameters) {
      let value = extract(...call);
      if (own !== undefined) {
        if (isThenable(value)) value = await value;
        for (const pipe of own) {
          value = pipe.transform(value, argument);
          if (isThenable(value)) value = await value;
        }
      }
      args[index] = value;
    }
    const result = await callback.apply(instance, args);
    (reply as FastifyReply).status(httpStatusCode);
    // What else it may be (a stream, an observable) Nest finds out, in three more async functions.
    if (isTextOrRecord(result)) void (reply as FastifyReply).send(result);
    else await respond(result, reply as FastifyReply, request as FastifyRequest);
  };
};

/** What Nest finds the steps and pipes of a handler with, and whether a handler sends its answer itself. */
interface Inside {
  readonly guardsContextCreator: GuardsContextCreator;
  readonly interceptorsContextCreator: InterceptorsContextCreator;
  readonly pipesContextCreator: PipesContextCreator;
  isResponseHandled(instance: object, methodName: string, parameters: readonly object[]): boolean;
}

type ParameterOfHandler = ReturnType<ContextUtils['mergeParamsMetatypes']>[number];
type Controller = new (...args: unknown[]) => object;
type Extract = (...call: readonly [request: unknown, reply: unknown, next: unknown]) => unknown;
type Respond = (result: unknown, reply: FastifyReply, request: FastifyRequest) => Promise<unknown>;

const isTextOrRecord = (value: unknown): boolean =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype);

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

const argumentMetadata = ({ type, data, metatype, schema }: ParameterOfHandler): ArgumentMetadata =>
  ({
    type: new ParamsTokenFactory().exchangeEnumForString(type as RouteParamtypes),
    data,
    metatype,
    schema,
  }) as ArgumentMetadata;
