// What an `alter table` does to a table that is in use. Each rule is asked of one action; true means that it is broken.

const NEW_COLUMN =
  /^add (?:column )?(?:if not exists )?(?!constraint |check |foreign |primary |unique |exclude |not null )(\S+) (.*)$/;
const definitionOf = (action) => NEW_COLUMN.exec(action)?.[2];
const isNewColumn = (action, pattern) => pattern.test(definitionOf(action) ?? '');

/** Called once for the whole statement, so that every row gets the same and none is rewritten. */
const CALLED_ONCE = new Set(['now', 'statement_timestamp', 'transaction_timestamp']);
/** What stands before a parenthesis and is no call. */
const TYPES =
  /^(?:numeric|decimal|varchar|char|character|varying|bit|time|timetz|timestamp|timestamptz|interval|array|row|in)$/;

function hasCallForEachRow(definition) {
  const [, value = ''] =
    /\bdefault (.*?)(?= not null\b| null\b| constraint | check | references | unique\b| primary key\b| collate |$)/.exec(
      definition ?? '',
    ) ?? [];
  return [...value.matchAll(/([\w$".]+) \(/g)].some(
    ([, called]) => !CALLED_ONCE.has(called) && !TYPES.test(called),
  );
}

/** By name: why it is refused and what to do instead, and whether an action breaks it. */
export const TABLE_RULES = {
  'add-column-not-null': {
    says: 'the release that runs now inserts rows without this column: give it a default, or let it be null and add a check later',
    breaks: (action) =>
      isNewColumn(action, /\bnot null\b/) &&
      !/\b(?:default|generated|serial|bigserial|smallserial)\b/.test(action),
  },
  'volatile-default': {
    says: 'a default that is called for each row rewrites the table: add the column without it, set it by "alter column … set default", and fill the old rows in batches',
    breaks: (action) => hasCallForEachRow(definitionOf(action)),
  },
  'table-rewrite': {
    says: 'every row is written again while nobody can read the table: add a plain column, and fill it in batches',
    breaks: (action) =>
      isNewColumn(action, /^(?:big|small)?serial\b|\bgenerated always as \(.*\) stored\b|\bas identity\b/) ||
      /^set (?:tablespace|access method|logged|unlogged)\b/.test(action) ||
      /^alter (?:column )?\S+ set expression\b/.test(action),
  },
  'column-constraint': {
    says: 'a constraint that comes with a column is checked, or its index built, while the table is locked: add it by itself, "not valid" or "using index"',
    breaks: (action) => isNewColumn(action, /\b(?:check \(|references |unique\b|primary key\b)/),
  },
  'column-type': {
    says: 'the table may be rewritten, and the release that runs now reads the old type: add another column and fill it in batches',
    breaks: (action) => /^alter (?:column )?\S+ (?:set data )?type\b/.test(action),
  },
  'set-not-null': {
    says: 'all rows are read while the table is locked: first "add constraint … check (… is not null) not valid", in a later migration "validate constraint", then this',
    breaks: (action, table, schema) => {
      const [, column] = /^alter (?:column )?(\S+) set not null$/.exec(action) ?? [];
      return column !== undefined && !schema.isProvenNotNull(table, column);
    },
  },
  'drop-default': {
    says: 'the release that runs now may insert rows without this column',
    breaks: (action) => /^alter (?:column )?\S+ drop (?:default|identity|expression)\b/.test(action),
  },
  'drop-column': {
    says: 'the release that runs now may name this column: stop using it in one release, drop it in the next',
    breaks: (action) => /^drop (?!constraint )/.test(action),
  },
  'constraint-not-valid': {
    says: 'all rows are checked while the table is locked: add it "not valid", and "validate constraint" in a later migration',
    breaks: (action) =>
      /^add (?:constraint \S+ )?(?:check|foreign key|not null)\b/.test(action) &&
      !/ not valid\b/.test(action),
  },
  'constraint-index': {
    says: 'the index is built while the table is locked: create it concurrently first, then add the constraint "using index"',
    breaks: (action) =>
      /^add (?:constraint \S+ )?(?:unique|primary key|exclude)\b/.test(action) &&
      !/ using index \S+/.test(action.replace(/ using index tablespace /, ' ')),
  },
  'validate-apart': {
    says: 'the lock that adding the constraint took is kept while all rows are read: validate it in a migration of its own',
    breaks: (action, _table, schema, actions) => {
      const [, constraint] = /^validate constraint (\S+)$/.exec(action) ?? [];
      return (
        schema.isAddedHere(constraint) ||
        actions.some((one) => one.startsWith(`add constraint ${constraint} `))
      );
    },
  },
  'drop-constraint': {
    says: 'the release that runs now may need it for "on conflict", or read its name from an error (a check may go)',
    breaks: (action, _table, schema) => {
      const [, constraint] = /^drop constraint (?:if exists )?(\S+)/.exec(action) ?? [];
      return constraint !== undefined && !schema.isCheck(constraint);
    },
  },
};
