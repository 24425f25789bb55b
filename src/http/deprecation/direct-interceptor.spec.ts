import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { InterceptorsConsumer } from '@nestjs/core/internal';
import { isObservable, lastValueFrom, map, type Observable } from 'rxjs';
import { type DirectInterceptor, runDirectInterceptorsDirectly } from './direct-interceptor.js';

runDirectInterceptorsDirectly();

class Refusing implements DirectInterceptor {
  readonly seen: string[] = [];

  before(context: ExecutionContext): void {
    this.seen.push(`${context.getType()} ${context.getClass().name} ${context.getHandler().name}`);
    if (context.getArgByIndex<string>(0) === 'refuse') throw new Error('refused');
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.before(context);
    return next.handle();
  }
}

class Doubling implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<number>): Observable<number> {
    return next.handle().pipe(map((value) => 2 * value));
  }
}

class Cats {
  find(): void {}
}

const intercept = (interceptors: NestInterceptor[], request = 'admit'): Promise<unknown> =>
  new InterceptorsConsumer().intercept(
    interceptors,
    [request],
    new Cats(),
    // oxlint-disable-next-line typescript/unbound-method -- only its name is looked at
    Cats.prototype.find,
    () => Promise.resolve(21),
    'http',
  );

describe('a direct interceptor', () => {
  it('is told of the request and leads to the answer without rxjs', async () => {
    const refusing = new Refusing();
    const result = await intercept([refusing]);
    expect(result).toBe(21);
    expect(refusing.seen).toEqual(['http Cats find']);
  });

  it('refuses by throwing', async () => {
    await expect(intercept([new Refusing()], 'refuse')).rejects.toThrow('refused');
  });

  it('goes the way of Nest beside an interceptor of another kind', async () => {
    const refusing = new Refusing();
    const result = await intercept([refusing, new Doubling()]);
    if (!isObservable(result)) throw new Error('Nest answers with an Observable');
    expect(await lastValueFrom(result)).toBe(42);
    expect(refusing.seen).toHaveLength(1);
  });
});
