import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { routeConfigOf } from '../auth/route-config.js';

/** A URL holds thousands of names. */
const NAMED_MAX = 10;

/** Rejects a query parameter that the operation does not have: with a misspelled filter, a list would not be filtered. */
@Injectable()
export class QueryParametersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { queryParameters } = routeConfigOf(request);
    if (queryParameters === undefined) return true;
    const unknown = Object.keys(request.query as object).filter((name) => !queryParameters.has(name));
    if (unknown.length === 0) return true;
    const known =
      queryParameters.size === 0
        ? 'This operation has no query parameters.'
        : `The query parameters of this operation are ${[...queryParameters].join(', ')}.`;
    const faults = unknown.slice(0, NAMED_MAX).map((parameter) => ({
      parameter,
      detail: `${JSON.stringify(parameter)} is not a known query parameter.`,
    }));
    const more = unknown.length > NAMED_MAX ? [`Nor are ${unknown.length - NAMED_MAX} more.`] : [];
    const message = [...faults.map(({ detail }) => detail), ...more, known].join(' ');
    throw new ApiError('invalid_parameter', message, { faults });
  }
}
