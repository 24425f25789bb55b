// npm run docs: writes docs/database.md, and the list of objects for `petstore doctor`, from the catalog of a migrated database. `npm run check -- docs` fails if it is out of date.
import { readFile, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { argv } from 'node:process';
import pg from 'pg';
import { format, resolveConfig } from 'prettier';
import { SCHEMA_OBJECTS, SCHEMA_OBJECTS_FILE, toLine } from '../dist/database/schema-objects.js';
import { migrate } from '../dist/database/migrations.js';
import { parse } from 'yaml';
import { openTemporaryDatabase } from './temporary-database.mjs';

const FILE = 'docs/database.md';

/** Who may use the object whose name an expression has. */
const usersOf = (name) => `(
  select 'For ' || string_agg(format('\`%s\` (%s)', role, privileges), ', ' order by role) || '.'
  from (
    select role, string_agg(concat(verb, ' (' || columns || ')'), ', ' order by strpos('select insert update delete', verb)) as privileges
    from (
      select role, split_part(privilege, ' ', 1) as verb, string_agg(substring(privilege from '\\((.*)\\)'), ', ') as columns
      from role_rights() where object = ${name} group by 1, 2) as verbs
    group by role) as users)`;

const RELATIONS = `
  select c.relname as name, c.relkind as kind, coalesce(obj_description(c.oid, 'pg_class'), obj_description(c.reltype, 'pg_type')) as comment, ${usersOf('c.relname')} as users,
    (select jsonb_agg(
        jsonb_build_object('name', attname, 'type', format_type(atttypid, null), 'nullable', not attnotnull,
          'initial', pg_get_expr(adbin, adrelid), 'comment', col_description(c.oid, attnum)) order by attnum)
      from pg_attribute
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
    array(select confrelid::regclass::text from pg_constraint where contype = 'f' and conrelid = c.oid) as parents,
    exists (
      select from pg_index join pg_attribute on attrelid = indrelid and indkey::text = attnum::text
      where indrelid = c.oid and indisunique and attname = 'api_key_id') as "isOneOfKey"
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'c') and c.relname <> '_prisma_migrations'
  order by c.relname`;

/** What operators call; then what the views call, and what finds missing rights and protections. */
const FUNCTIONS = `
  select p.proname as name, obj_description(p.oid, 'pg_proc') as comment, ${usersOf('p.proname')} as users,
    format('%s(%s) returns %s', p.proname, pg_get_function_arguments(p.oid), pg_get_function_result(p.oid)) as signature,
    exists (select from role_rights() where object = p.proname and role = 'petstore_operator') as "isOperators"
  from pg_proc p
  where p.pronamespace = 'public'::regnamespace
    and exists (
      select from role_rights() where object = p.proname and (role = 'petstore_operator' or proname ~ 'rights|protections' or exists (
        select from pg_depend d join pg_rewrite r on d.objid = r.oid where d.refobjid = p.oid)))
  order by p.proname, signature`;

async function generate() {
  const server = await openTemporaryDatabase({ inMemory: true });
  const client = new pg.Client({ connectionString: server.url });
  try {
    await migrate({ connectionString: server.url });
    await client.connect();
    await rejectMissingOperations(client);
    const text = page((await client.query(RELATIONS)).rows, (await client.query(FUNCTIONS)).rows);
    const objects = (await client.query(SCHEMA_OBJECTS)).rows.map((one) => `${toLine(one)}\n`);
    return {
      [FILE]: await format(text, { ...(await resolveConfig(FILE)), parser: 'markdown' }),
      [relative('.', SCHEMA_OBJECTS_FILE)]: objects.join(''),
    };
  } finally {
    await client.end();
    await server.close();
  }
}

/** Without a row, the requests of an operation would be missing in the usage by hour. */
async function rejectMissingOperations(client) {
  const { paths } = parse(await readFile('docs/openapi.yaml', 'utf8'));
  const operations = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap((one) => one.operationId ?? []),
  );
  const { rows } = await client.query('select operation from operations');
  const missing = operations.filter((one) => !rows.some(({ operation }) => operation === one));
  if (missing.length === 0) return;
  const values = missing.map((one) => `('${one}')`).join(', ');
  console.error(
    `the table operations lacks some of docs/openapi.yaml. In a migration: insert into operations values ${values};`,
  );
  process.exitCode = 1;
}

function page(relations, functions) {
  const ofKind = (kind) => relations.filter((one) => one.kind === kind);
  const operators = functions.filter(({ isOperators }) => isOperators);
  const names = new Set([...relations, ...operators].map(({ name }) => name));
  /** Links objects, and marks calls as code. */
  const prose = (text) =>
    (text ?? '')
      .split(/(select \* from \w+\([^)]*\))/)
      .map((part, nth) =>
        nth % 2 === 1
          ? `\`${part}\``
          : part.replaceAll(/\b\w+_\w+\b/g, (word) => (names.has(word) ? `[${word}](#${word})` : word)),
      )
      .join('');
  const columnTable = ({ columns }) => [
    '| Column | Type | Description |',
    '| --- | --- | --- |',
    ...columns.map((one) => `| \`${one.name}\` | ${typeOf(one)} | ${prose(one.comment)} |`),
  ];
  const relation = (one) => [
    `### ${one.name}`,
    '',
    prose(one.comment),
    '',
    one.users ?? '',
    '',
    ...columnTable(one),
    '',
  ];
  const call = (one) => [
    `### ${one.name}`,
    '',
    '```sql',
    short(one.signature),
    '```',
    '',
    prose(one.comment),
    '',
    one.users,
    '',
  ];
  return [
    '<!-- Written by "npm run docs" from the catalog of a migrated database. Change the comments in prisma/sql instead. -->',
    HEAD,
    '## Views',
    'They show the state at the time of the statement, by the clock of the database and the rules of admission.',
    ...ofKind('v').flatMap(relation),
    '## Functions',
    'Call them with `select * from`. Those that change a key lock its row until the transaction ends.',
    'Those that return `api_key_overview` or `plan_overview` return the row of the view after the change.\n',
    ...operators.flatMap(call),
    ...ofKind('c').flatMap(relation),
    '## Tables',
    '```mermaid',
    'erDiagram',
    ...ofKind('r').flatMap(entity),
    '```',
    '\nA dotted line is no foreign key: it would lock a row of operators, and an open transaction in `psql` could stall requests.\n',
    ...ofKind('r').flatMap(relation),
    '## Rules\n',
    'The views are made of these. Every role may call them, and needs rights on the whole rows that it passes. `role_rights` lists rights, and `rights_that_differ` compares them. `missing_protections` is for the doctor.\n',
    '| Function | Description |',
    '| --- | --- |',
    ...functions
      .filter((one) => !one.isOperators)
      .map((one) => `| \`${short(one.signature)}\` | ${prose(one.comment)} |`),
  ].join('\n');
}

const HEAD = `
# The database

What operators select from and call, and the tables behind that. \`psql\` shows the same: \`\\d+ api_key_overview\`, \`\\df+ rotate_api_key\`.
[Operations](operations.md) has the tasks, and the [glossary](glossary.md) the words.

Within 1.x, views and functions keep their columns, in their order, and their arguments; new ones come last. So do the columns of tables that operators may
write. The roles are those of [\`prisma/roles.sql\`](operations.md#database-roles); the owner may do everything.
`;

/** A table of the diagram, with its references to others. A column that refers to a key without a foreign key has a dotted line. */
function entity({ name, columns, parents, isOneOfKey }) {
  const isLoose = parents.length === 0 && columns.some((one) => one.name === 'api_key_id');
  return [
    `  ${name} {`,
    ...columns.map((one) => `    ${short(one.type)} ${one.name}`),
    '  }',
    ...parents.map((parent) => `  ${parent} ||--o{ ${name} : ""`),
    ...(isLoose ? [`  api_keys ||..o${isOneOfKey ? '|' : '{'} ${name} : ""`] : []),
  ];
}

/** Types and defaults as one writes them. */
function short(sql) {
  return sql
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(/::[a-z_]+/g, '')
    .replaceAll(/DEFAULT|NULL|TABLE/g, (word) => word.toLowerCase());
}

function typeOf({ type, nullable, initial }) {
  return `${short(type)}${nullable ? '' : ', not null'}${initial === null ? '' : `, default \`${short(initial)}\``}`;
}

for (const [file, written] of Object.entries(await generate())) {
  if (!argv.includes('--check')) await writeFile(file, written);
  else if ((await readFile(file, 'utf8').catch(() => '')) === written)
    console.log(`${file} is what the catalog of a migrated database says`);
  else {
    console.error(`${file} is not what the database says: run "npm run docs", and review the difference`);
    process.exitCode = 1;
  }
}
