import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Claim } from './claim.js';
import { parseIdempotencyKey } from './idempotency-key.js';

/**
 * What the request's `Idempotency-Key` claims, or undefined when it has none.
 *
 * @throws ApiError invalid_idempotency_key
 */
export const RequestClaim = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Claim | undefined => {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const header = request.headers['idempotency-key'];
    const caller = request.decision?.caller;
    if (header === undefined || caller === undefined) return undefined;
    return {
      apiKeyId: caller.keyId,
      key: parseIdempotencyKey(String(header)),
      fingerprint: fingerprintOf(request),
    };
  },
);

function fingerprintOf({ method, raw, bodyBytes }: FastifyRequest): Buffer {
  const [path = ''] = (raw.url ?? '').split('?', 1);
  return createHash('sha256')
    .update(`${method} ${path}\n`)
    .update(bodyBytes ?? '')
    .digest();
}
