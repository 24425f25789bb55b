// JSON whose integers keep every digit, which JSON.parse would round beyond 2^53.
import { element } from './dom.js';

const TOKEN = /"(?:\\.|[^"\\])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\]:,]/g;

/** Stands before the digits of a big integer on its way through JSON; no text of the document begins so. */
const MARK = 'bigint:';

/**
 * Parses JSON; integers of 16 digits and more become `bigint`.
 * @param {string} text
 * @returns {any}
 */
export function parseJson(text) {
  const marked = text.replace(TOKEN, (token) => (/^-?\d{16,}$/.test(token) ? `"${MARK}${token}"` : token));
  return JSON.parse(marked, (_name, value) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

/**
 * The JSON of a value with `bigint` in it, for people.
 * @param {unknown} value
 */
export function writeJson(value) {
  const marked = JSON.stringify(value, (_name, one) => (typeof one === 'bigint' ? `${MARK}${one}` : one), 2);
  return marked.replace(/"bigint:(-?\d+)"/g, '$1');
}

/**
 * Shows JSON with indentation and colours. Every token stays as it was sent; what is no JSON is shown as it is.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function showJson(text) {
  const tokens = text.match(TOKEN) ?? [];
  if (
    tokens.join('') !== text.replace(/"(?:\\.|[^"\\])*"|\s+/g, (part) => (part.startsWith('"') ? part : ''))
  ) {
    return [text];
  }
  /** @type {(Node | string)[]} */
  const shown = [];
  let depth = 0;
  const newLine = () => `\n${'  '.repeat(depth)}`;
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    const previous = tokens[index - 1];
    if (token === '{' || token === '[') {
      depth += 1;
      shown.push(token, next === '}' || next === ']' ? '' : newLine());
    } else if (token === '}' || token === ']') {
      depth -= 1;
      shown.push(previous === '{' || previous === '[' ? '' : newLine(), token);
    } else if (token === ',') shown.push(token, newLine());
    else if (token === ':') shown.push(': ');
    else shown.push(element('span', { class: kindOf(token, next) }, token));
  });
  return shown;
}

/**
 * @param {string} token
 * @param {string | undefined} next
 */
function kindOf(token, next) {
  if (token.startsWith('"')) return next === ':' ? 'json-name' : 'json-text';
  return /^[-\d]/.test(token) ? 'json-number' : 'json-word';
}
