import { types } from 'node:util';

/** The code of a system or database error, such as `ENOENT`; empty for all else. */
export function codeOf(fault: unknown): string {
  if (typeof fault !== 'object' || fault === null || !('code' in fault)) return '';
  return typeof fault.code === 'string' ? fault.code : '';
}

/** What a fault says, whatever was thrown. */
export function messageOf(fault: unknown): string {
  // Not `instanceof`: an error of Node's own is none of Jest's Error.
  return types.isNativeError(fault) ? fault.message : String(fault);
}
