// A statement of a migration as one line of plain words, so that a rule can be a regular expression: in lower case, without
// comments, the schema public left out, strings as '…', and every token between single spaces.

/** @returns what it creates, alters or drops, for the rules; `words` is the line */
export function describe({ tokens, line, endLine }) {
  const words = tokens
    .map(wordOf)
    .join(' ')
    .replaceAll(/ \. /g, '.')
    .replaceAll(/\bpublic\./g, '');
  return { tokens, line, endLine, words, ...alterTableOf(words), created: createdBy(words) };
}

/** A quoted name is the same as a plain one where it could be written plainly. */
function wordOf({ kind, text }) {
  if (kind === 'string') return "'…'";
  if (kind !== 'quoted' || /^[a-z_][a-z0-9_$]*$/.test(text)) return text;
  return `"${text.replaceAll(/\s/g, '_')}"`;
}

function alterTableOf(words) {
  const match = /^alter (?:foreign )?table (?:if exists )?(?:only )?(\S+) (?:\* )?(.*)$/.exec(words);
  return match === null ? { actions: [] } : { altered: match[1], actions: splitAtCommas(match[2]) };
}

/** Commas in parentheses and brackets belong to what is in there. */
export function splitAtCommas(words) {
  const parts = [[]];
  let depth = 0;
  for (const word of words.split(' ')) {
    if (word === '(' || word === '[') depth += 1;
    if (word === ')' || word === ']') depth -= 1;
    if (word === ',' && depth === 0) parts.push([]);
    else parts.at(-1).push(word);
  }
  return parts.map((part) => part.join(' '));
}

const KINDS =
  'foreign table|table|materialized view|view|function|procedure|aggregate|type|domain|sequence|schema|' +
  'constraint trigger|event trigger|trigger|policy|rule|extension|operator|cast|collation|statistics|server|publication';
const CREATE = new RegExp(
  `^create (?:or replace )?(?:(?:global|local|temporary|temp|unlogged|recursive) )*(${KINDS}) (?:if not exists )?(\\S+)`,
);
const INDEX =
  /^create (?<unique>unique )?index (?<concurrently>concurrently )?(?<repeatable>if not exists )?(?<name>(?!on )\S+ )?on (?:only )?(?<table>\S+)/;

export function indexOf(words) {
  const groups = INDEX.exec(words)?.groups;
  return groups === undefined
    ? undefined
    : {
        name: groups.name?.trim(),
        table: groups.table,
        isConcurrent: groups.concurrently !== undefined,
        isRepeatable: groups.repeatable !== undefined,
      };
}

function createdBy(words) {
  const index = indexOf(words);
  if (index !== undefined) return { kind: 'index', name: index.name };
  const match = CREATE.exec(words);
  return match === null ? undefined : { kind: match[1], name: match[2] };
}

const DROP = new RegExp(
  `^drop (${KINDS}|index) (?<concurrently>concurrently )?(?<repeatable>if exists )?(.*)$`,
);

export function dropOf(words) {
  const match = DROP.exec(words);
  if (match === null) return undefined;
  const names = splitAtCommas(match[4].replace(/ (?:cascade|restrict)$/, '')).map((one) => one.split(' ')[0]);
  return {
    kind: match[1],
    names,
    isConcurrent: match.groups.concurrently !== undefined,
    isRepeatable: match.groups.repeatable !== undefined,
  };
}
