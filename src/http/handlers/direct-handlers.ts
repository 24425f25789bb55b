import type { ArgumentMetadata, ExecutionContext } from '@nestjs/common';
import type { RouteParamtypes } from '@nestjs/common/internal';
import type {
  ContextUtils,
  GuardsContextCreator,
  InterceptorsContextCreator,
  PipesContextCreator,
} from '@nestjs/core/internal';
import type { RouterExecutionContext } from '@nestjs/core/router/router-execution-context.js';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A guard or an interceptor that only acts before the handler, and at once: it may refuse by throwing. */
export interface DirectStep {
  /** All that it does. */
  beforeHandler(context: ExecutionContext): void;
}

const isDirect = <Step extends object>(step: Step): step is Step & DirectStep => 'beforeHandler' in step;

/**
 * Lets Nest run handlers by plain calls where it can: guards, interceptors, pipes and handler, in Nest's order. Its own way leads
 * through a dozen async functions and, past an interceptor, a chain of rxjs subscriptions for each request. A handler with a step
 * that is not direct, or with decorators for its response, goes Nest's way, as do all where Nest's inside is not as expected. The
 * exception to public APIs has an entry in docs/decisions.md; Nest's version is pinned.
 */
export const runHandlersDirectly = (): Promise<void> => (replaced ??= replaceCreate());

let replaced: Promise<void> | undefined;

type Create = RouterExecutionContext['create'];

async function replaceCreate(): Promise<void> {
  const inside = await loadInside();
  if (inside === undefined) return;
  const { prototype } = inside.RouterExecutionContext;
  // oxlint-disable-next-line typescript/unbound-method -- it is called with a context below
  const createByNest = prototype.create;
  prototype.create = function (this: RouterExecutionContext, ...route) {
    return createDirectly(inside, this, route) ?? createByNest.apply(this, route);
  };
}

type Inside = NonNullable<Awaited<ReturnType<typeof loadInside>>>;

/** Undefined in a release of Nest that keeps its inside elsewhere. */
async function loadInside() {
  try {
    const [{ RouterExecutionContext: context }, core] = await Promise.all([
      import('@nestjs/core/router/router-execution-context.js'),
      import('@nestjs/core/internal'),
    ]);
    return { RouterExecutionContext: context, ...core };
  } catch {
    return undefined;
  }
}

/** Undefined where a route has to go Nest's way. */
function createDirectly(
  nest: Inside,
  router: RouterExecutionContext,
  route: Parameters<Create>,
): ReturnType<Create> | undefined {
  try {
    return createOrThrow(nest, router, route);
  } catch {
    return undefined;
  }
}

function createOrThrow(
  { ContextUtils: Utils, ExecutionContextHost: Host, ParamsTokenFactory: Tokens, STATIC_CONTEXT }: Inside,
  router: RouterExecutionContext,
  route: Parameters<Create>,
): ReturnType<Create> | undefined {
  const [instance, callback, methodName, moduleKey, requestMethod, contextId, inquirerId] = route;
  const inside = router as unknown as InsideOfRouter;
  const creatorArgs = [instance, callback, moduleKey, contextId, inquirerId] as const;
  const steps = [
    ...inside.guardsContextCreator.create(...creatorArgs),
    ...inside.interceptorsContextCreator.create(...creatorArgs),
  ];
  const metadata = router.getMetadata(instance, callback, methodName, moduleKey, requestMethod, 'http');
  const properties = metadata.getParamsMetadata(moduleKey, contextId, inquirerId);
  const isResponseDecorated =
    metadata.isSseHandler ||
    metadata.hasCustomHeaders ||
    router.reflectRedirect(callback) !== undefined ||
    router.reflectRenderTemplate(callback) !== undefined ||
    inside.isResponseHandled(instance, methodName, properties);
  const isStatic = contextId === undefined || contextId === STATIC_CONTEXT;
  if (isResponseDecorated || !isStatic || !steps.every(isDirect)) return undefined;

  const { argsLength, httpStatusCode, paramtypes } = metadata;
  const respond = metadata.fnHandleResponse as Respond;
  const pipes = inside.pipesContextCreator.create(...creatorArgs);
  const parameters = new Utils().mergeParamsMetatypes(properties, paramtypes).map((parameter) => ({
    index: parameter.index,
    extract: parameter.extractValue as Extract,
    // Undefined for what is not awaited: a reply is a thenable, too, and waits for the response.
    pipes: router.isPipeable(parameter.type) ? [...pipes, ...parameter.pipes] : undefined,
    metadata: argumentMetadata(new Tokens(), parameter),
  }));

  return async (request, reply, next) => {
    const call = [request, reply, next] as const;
    const context = new Host([...call], instance.constructor as Controller, callback);
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
}

/** What Nest finds the steps and pipes of a handler with, and whether a handler sends its answer itself. */
interface InsideOfRouter {
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

const argumentMetadata = (
  tokens: InstanceType<Inside['ParamsTokenFactory']>,
  { type, data, metatype, schema }: ParameterOfHandler,
): ArgumentMetadata =>
  ({
    type: tokens.exchangeEnumForString(type as RouteParamtypes),
    data,
    metatype,
    schema,
  }) as ArgumentMetadata;
