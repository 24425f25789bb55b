import type { RouteOptions } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of the controller's method; absent where no route was met. */
    readonly operation?: string;
  }
}

/** Nest names a route's handler after the class and the method, such as `PetsController.listPets`. */
const HANDLER = /^\w+\.(\w+)$/;

/** To be called for each route that is registered: logs, metrics and traces know an operation by this name. */
export function nameOperation(route: RouteOptions): void {
  const operation = HANDLER.exec(route.handler.name)?.[1];
  if (operation !== undefined) route.config = { ...route.config, operation };
}
