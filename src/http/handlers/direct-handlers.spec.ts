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
  UseGuards,
  UseInterceptors,
  UsePipes,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest, InjectOptions } from 'fastify';
import { map, type Observable, of } from 'rxjs';
import { runHandlersDirectly } from './direct-handlers.js';
import type { DirectStep } from './direct-step.js';

const seen: string[] = [];

abstract class Step implements DirectStep {
  before(context: ExecutionContext): void {
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

class Later implements PipeTransform {
  async transform(value: unknown): Promise<unknown> {
    await Promise.resolve();
    seen.push('Later');
    return value;
  }
}

@Controller('cats')
@UseGuards(Guard)
@UseInterceptors(Interceptor)
@UsePipes(Later, Louder)
class Cats {
  @Get(':name')
  find(@Param('name') name: string): Promise<string> {
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
    runHandlersDirectly();
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
    return { statusCode, body, label: headers['label'] };
  };

  it('is run by plain calls: guards, interceptors, pipes, handler', async () => {
    expect(await ask({ url: '/cats/tom' })).toMatchObject({ statusCode: 200, body: 'tom!' });
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
  ])('goes the way of Nest where it has %s', async (_, url, answer) => {
    expect(await ask({ url })).toMatchObject(answer);
    expect(seen).toEqual(['Guard by Nest', 'Interceptor by Nest', 'Later', 'Louder']);
  });
});
