// node bench/interceptor.mjs: what NestJS spends on a request whose route has one interceptor that only calls the handler. Nothing here is of the service,
// so that it can be sent to the authors of NestJS.
import { createHook } from 'node:async_hooks';
import { Controller, Get, Module, UseInterceptors } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

const REQUESTS = 20_000;
const ROUNDS = 7;

class Interceptor {
  intercept(_context, next) {
    return next.handle();
  }
}

class Routes {
  plain() {
    return Promise.resolve('plain');
  }
  intercepted() {
    return Promise.resolve('intercepted');
  }
}

/** Decorators as functions, because this is JavaScript. */
function decorate(name, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(Routes.prototype, name);
  for (const decorator of decorators) decorator(Routes.prototype, name, descriptor);
}
decorate('plain', Get('plain'));
decorate('intercepted', Get('intercepted'), UseInterceptors(new Interceptor()));
Controller()(Routes);
class App {}
Module({ controllers: [Routes] })(App);

const app = await NestFactory.create(App, new FastifyAdapter(), { logger: false });
await app.init();
const fastify = app.getHttpAdapter().getInstance();
await fastify.ready();

async function run(url, requests) {
  for (let sent = 0; sent < requests; sent += 1) await fastify.inject(url);
}

async function microsecondsOf(url) {
  const before = process.cpuUsage();
  await run(url, REQUESTS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

async function promisesOf(url) {
  let made = 0;
  const hook = createHook({ init: (_id, type) => (made += type === 'PROMISE' ? 1 : 0) }).enable();
  await run(url, 100);
  hook.disable();
  return made / 100;
}

const times = { plain: [], intercepted: [] };
for (let round = 0; round <= ROUNDS; round += 1)
  for (const [name, microseconds] of Object.entries(times)) {
    const one = await microsecondsOf(`/${name}`);
    // The first round compiles.
    if (round > 0) microseconds.push(one);
  }
for (const [name, microseconds] of Object.entries(times)) {
  const median = microseconds.toSorted((one, other) => one - other)[ROUNDS >> 1];
  const promises = await promisesOf(`/${name}`);
  console.log(`${name}: ${median.toFixed(1)} µs of CPU and ${promises.toFixed(0)} promises a request`);
}
await app.close();
