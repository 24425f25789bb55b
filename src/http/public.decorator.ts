import { RouteConfig } from '@nestjs/platform-fastify';

/** An operation that anybody may call without a key; it carries the headers of the client address, uncharged. */
export const Public = (): MethodDecorator => RouteConfig({ public: true });
