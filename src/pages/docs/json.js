// JSON whose integers keep every digit, which JSON.parse would round beyond 2^53.
import { element } from './dom.js';

const TOKEN = /"(?:\\.|[^"\\])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Marks the digits of a big integer while it passes through JSON; no string of the service has this character. */
const MARK = '\0';

/**
 * Parses JSON; integers of 16 digits and more become `bigint`.
 * @param {string} text
 * @returns {any}
 */
export function parseJson(text) {
  const marked = text.replace(TOKEN, (token) => (/^-?\d{16,}$/.test(token) ? `"\\u0000${token}"` : token));
  return JSON.parse(marked, (_name, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(1)) : value,
  );
}

/**
 * The JSON of a value with `bigint` in it, for people.
 * @param {unknown} value
 */
export function writeJson(value) {
  const marked = JSON.stringify(value, (_name, one) => (typeof one === 'bigint' ? `${MARK}${one}` : one), 2);
  return marked.replace(/"\\u0000(-?\d+)"/g, '$1');
}

/**
 * JSON without white space.
 * @param {string} text
 */
export const compactJson = (text) => text.replace(/("(?:\\.|[^"\\])*")|\s+/g, '$1');

/**
 * Shows JSON with indentation and colours; invalid JSON is shown as is.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function showJson(text) {
  try {
    return writeJson(parseJson(text))
      .split(/("(?:\\.|[^"\\])*":?|[^\s,:[\]{}]+)/)
      .map((part, index) => (index % 2 === 0 ? part : element('span', { class: kindOf(part) }, part)));
  } catch {
    return [text];
  }
}

/** @param {string} token */
function kindOf(token) {
  if (token.startsWith('"')) return token.endsWith(':') ? 'json-name' : 'json-text';
  return /^[-\d]/.test(token) ? 'json-number' : 'json-word';
}
