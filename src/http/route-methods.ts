import type { RouteOptions } from 'fastify';
import createRouter, { type FindResult, type HTTPMethod, type HTTPVersion } from 'find-my-way';
import { METHODS } from './common-headers.js';

/**
 * Which methods each path has, so that a known path with another method is a 405 with `Allow` and not a 404. Fastify's
 * own router can only look up one method and path at a time, by a pattern instead of a path.
 */
export class RouteMethods {
  // A parameter may be as long as the longest request target: the handler checks what it names.
  readonly #router = createRouter({ maxParamLength: Number.MAX_SAFE_INTEGER });
  readonly #methods = new Set<HTTPMethod>();

  /**
   * To be called for each route that is registered.
   *
   * @throws Error for a route that is neither an `@Operation()` nor `@Public()`, and for a method that is missing from `METHODS`,
   *   which preflight responses and `Allow` list
   */
  add({ method, url, config }: Pick<RouteOptions, 'method' | 'url' | 'config'>): void {
    if (config?.operation === undefined) {
      throw new Error(`${String(method)} ${url} is neither an @Operation() nor @Public()`);
    }
    for (const one of [method].flat() as HTTPMethod[]) {
      if (!METHODS.includes(one)) throw new Error(`METHODS lacks ${one}, which ${url} supports`);
      if (this.#router.hasRoute(one, url)) continue;
      this.#router.on(one, url, () => undefined, url.replaceAll(/:(\w+)/g, '{$1}'));
      this.#methods.add(one);
    }
  }

  /** The methods of a request target, sorted; none when the path does not exist. */
  of(target: string): readonly string[] {
    return [...this.#methods].filter((method) => this.#find(method, target) !== null).sort();
  }

  /** The route pattern of a request target; undefined if none matches. */
  pathOf(target: string): string | undefined {
    const [method] = this.of(target);
    return method === undefined ? undefined : (this.#find(method as HTTPMethod, target)?.store as string);
  }

  #find(method: HTTPMethod, target: string): FindResult<HTTPVersion.V1> | null {
    const found = this.#router.find(method, target);
    return found !== null && Object.values(found.params).every((value) => value !== '') ? found : null;
  }
}
