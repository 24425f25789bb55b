import { stringify } from 'lossless-json';
import { printable } from './printable.js';

/** A value for people. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value === true) return 'yes';
  if (value === false) return 'no';
  const text = typeof value === 'string' ? value : (stringify(value) ?? '');
  // Instants without their milliseconds, in the form in which options take them.
  return printable(text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}Z$/, '$1Z'));
}
