import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { Deprecation } from './deprecation.js';
import { DeprecationInterceptor } from './deprecation.interceptor.js';

/** An operation that goes away at an announced instant: all its answers say so, and from then on it answers 410. */
export const Deprecated = (deprecation: Deprecation): MethodDecorator =>
  applyDecorators(RouteConfig({ deprecation }), UseInterceptors(DeprecationInterceptor));
