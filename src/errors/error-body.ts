import type { ApiError } from './api-error.js';
import { ERROR_CODES } from './error-codes.js';

export const PROBLEM_TYPE = 'application/problem+json';

/** The body of an error: the Error body of the interface, or problem details (RFC 9457) for a client that prefers them. */
export function errorBody({ code, message, status, faults }: ApiError, accept: string | undefined) {
  if (!prefersProblem(accept)) {
    return { mediaType: 'application/json; charset=utf-8', text: JSON.stringify({ code, message, status }) };
  }
  const problem = {
    type: `/docs#error-${code}`,
    title: ERROR_CODES[code].message,
    status,
    detail: message,
    code,
    ...(faults.length > 0 && { errors: faults }),
  };
  return { mediaType: `${PROBLEM_TYPE}; charset=utf-8`, text: JSON.stringify(problem) };
}

/**
 * Whether `Accept` (RFC 9110 section 12.5.1) gives problem details a higher quality than JSON. Wildcards such as `*` do
 * not count, and clients that list both, as generated ones do, get the Error body.
 */
function prefersProblem(accept: string | undefined): boolean {
  if (accept === undefined || !/problem\+json/i.test(accept)) return false;
  // A quoted parameter may contain anything.
  const ranges = accept
    .toLowerCase()
    .replaceAll(/"(?:\\.|[^"\\])*"?/g, '""')
    .split(',');
  return qualityOf(PROBLEM_TYPE, ranges) > qualityOf('application/json', ranges);
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The highest quality of the ranges that name the media type, or 0. Ranges with an invalid quality are ignored. */
function qualityOf(mediaType: string, ranges: readonly string[]): number {
  const qualities = ranges.map((range) => {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== mediaType) return 0;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(WEIGHT.exec(weight)?.[1] ?? 0);
  });
  return Math.max(...qualities);
}
