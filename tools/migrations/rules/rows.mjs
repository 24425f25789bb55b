// What changes many rows at once: they stay locked, and their old versions stay, until the transaction ends.

const WRITES = /\b(?:update|delete from|merge into)\b/;

/** By name: why it is refused and what to do instead, and whether a statement breaks it. */
export const ROW_RULES = {
  'unbatched-write': {
    says: 'the rows stay locked until the migration ends: change them in batches, by a "do" block with "limit" and "commit" in a migration that begins with "-- migrate: outside a transaction"',
    breaks: ({ words, tokens }, schema, { isOutside }) => {
      if (words.startsWith('do ')) {
        const body = bodyOf(tokens);
        return isOutside && WRITES.test(body) && !(/\blimit\b/.test(body) && /\bcommit\b/.test(body));
      }
      if (!/^(?:update|delete|merge|with)\b/.test(words)) return false;
      return [...words.matchAll(/(?:^|[()] )(?:update|delete from|merge into) (?:only )?(\S+)/g)].some(
        ([, table]) => schema.isLive(table),
      );
    },
  },
  'do-block': {
    says: 'no rule looks into it, and in a transaction it cannot work in batches: write the statements themselves',
    breaks: ({ words }, _schema, { isOutside }) => !isOutside && words.startsWith('do '),
  },
};

const bodyOf = (tokens) =>
  tokens
    .filter(({ kind }) => kind === 'string')
    .map(({ text }) => text.toLowerCase())
    .join(' ');
