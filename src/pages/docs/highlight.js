// Highlights code samples, by the syntax that their languages share.
import { element } from './dom.js';

const WORDS =
  'async await console const curl export for from function if import let new npm of print return throw while yield';
const KINDS = /** @type {const} */ ([
  ['text', /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/],
  ['word', new RegExp(`\\b(?:${WORDS.replaceAll(' ', '|')})\\b`)],
  ['flag', /(?<=\s)--?[a-zA-Z][\w-]*/],
  ['number', /\b\d+\b/],
]);
const TOKEN = new RegExp(KINDS.map(([kind, { source }]) => `(?<${kind}>${source})`).join('|'), 'g');

/**
 * The parts of a sample, with a class for each kind.
 * @param {string} code
 * @returns {(Node | string)[]}
 */
export function highlighted(code) {
  const parts = [];
  let at = 0;
  for (const { 0: token, index, groups = {} } of code.matchAll(TOKEN)) {
    const [kind = ''] = Object.entries(groups).find(([, text]) => text !== undefined) ?? [];
    parts.push(code.slice(at, index), element('span', { class: `code-${kind}` }, token));
    at = index + token.length;
  }
  return [...parts, code.slice(at)];
}
