import 'reflect-metadata';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  ForbiddenException,
  Get,
  Header,
  HttpCode,
  Module,
  type NestInterceptor,
  Param,
  type PipeTransform,
  Post,
  Redirect,
  Res,
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest, InjectOptions } from 'fastify';
import { map, type Observable, of } from 'rxjs';
import { type DirectStep, runHandlersDirectly } from './direct-handlers.js';

const seen: string[] = [];

abstract class Step implements DirectStep {
  beforeHandler(context: ExecutionContext): void {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    seen.push(`${this.constructor.name} of ${context.getClass().name}.${context.getHandler().name}`);
    if (headers['refused-by'] === this.constructor.name) throw new ForbiddenException();
  }
}

class Guard extends Step implements CanActivate {
  canActivate(): boolean {
    seen.push('Guard by Nest');
    return true;
  }
}

class Interceptor extends Step implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    seen.push('Interceptor by Nest');
    return next.handle();
  }
}

class Doubling implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<string>): Observable<string> {
    return next.handle().pipe(map((value) => `${value} ${value}`));
  }
}

class Louder implements PipeTransform {
  transform(value: unknown): unknown {
    seen.push('Louder');
    return typeof value === 'string' ? `${value}!` : value;
  }
}

/** Not a Promise, and not asked before somebody waits for it: the kind of object that database clients return. */
class Later implements PipeTransform {
  transform(value: unknown): PromiseLike<unknown> {
    const promise = Promise.resolve(value);
    return {
      // oxlint-disable-next-line unicorn/no-thenable -- it is what this is about
      then: (resolve, reject) => {
        seen.push('Later');
        return promise.then(resolve, reject);
      },
    };
  }
}

@Controller('cats')
@UseGuards(Guard)
@UseInterceptors(Interceptor)
@UsePipes(Later, Louder)
class Cats {
  @Get(':name')
  find(@Param('name') name: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    reply.header('label', 'found');
    return Promise.resolve(name);
  }

  @Post()
  @HttpCode(202)
  add(@Body() cat: object, @Param() none: object): object {
    return { cat, none };
  }

  @Get(':name/twice')
  @UseInterceptors(Doubling)
  twice(@Param('name') name: string): string {
    return name;
  }

  @Get(':name/labelled')
  @Header('label', 'cat')
  labelled(@Param('name') name: string): string {
    return name;
  }

  @Get(':name/redirected')
  @Redirect('/cats/tom')
  redirected(): string {
    return 'not sent';
  }

  @Get(':name/own')
  own(@Res() reply: FastifyReply): string {
    void reply.send('own');
    return 'not sent';
  }

  @Get(':name/observed')
  observed(@Param('name') name: string): Observable<string> {
    return of(name);
  }
}

@Module({ controllers: [Cats] })
class CatsModule {}

describe('a handler whose steps are all direct', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    await runHandlersDirectly();
    app = await NestFactory.create<NestFastifyApplication>(CatsModule, new FastifyAdapter(), {
      logger: false,
    });
    await app.init();
  });

  afterAll(() => app.close());

  beforeEach(() => {
    seen.length = 0;
  });

  const ask = async (request: InjectOptions) => {
    const { statusCode, body, headers } = await app.inject(request);
    return { statusCode, body, label: headers['label'], location: headers['location'] };
  };

  it('is run by plain calls: guards, interceptors, pipes, handler', async () => {
    expect(await ask({ url: '/cats/tom' })).toMatchObject({ statusCode: 200, body: 'tom!', label: 'found' });
    expect(seen).toEqual(['Guard of Cats.find', 'Interceptor of Cats.find', 'Later', 'Louder']);
  });

  it('answers with the status and the arguments that its decorators name', async () => {
    const answer = await ask({ method: 'POST', url: '/cats', payload: { name: 'tom' } });
    expect(answer).toMatchObject({ statusCode: 202, body: '{"cat":{"name":"tom"},"none":{}}' });
  });

  it.each([
    ['Guard', ['Guard of Cats.find']],
    ['Interceptor', ['Guard of Cats.find', 'Interceptor of Cats.find']],
  ])('is not reached when its %s refuses', async (step, reached) => {
    expect(await ask({ url: '/cats/tom', headers: { 'refused-by': step } })).toMatchObject({
      statusCode: 403,
    });
    expect(seen).toEqual(reached);
  });

  it('may answer with an Observable', async () => {
    expect(await ask({ url: '/cats/tom/observed' })).toMatchObject({ body: 'tom!' });
  });

  it.each([
    ['an interceptor of another kind', '/cats/tom/twice', { body: 'tom! tom!' }],
    ['a decorator for a header', '/cats/tom/labelled', { body: 'tom!', label: 'cat' }],
    ['a redirection', '/cats/tom/redirected', { statusCode: 302, body: '', location: '/cats/tom' }],
    ['an answer that it sends itself', '/cats/tom/own', { body: 'own' }],
  ])('goes the way of Nest where it has %s', async (_, url, answer) => {
    expect(await ask({ url })).toMatchObject(answer);
    expect(seen.slice(0, 2)).toEqual(['Guard by Nest', 'Interceptor by Nest']);
  });
});
