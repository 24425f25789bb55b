// Holds migrations against the rules. What is right in spite of a rule says so, with a reason, in a comment before or within
// the statement: -- lint: allow <rule>: <reason>
import { runsOutside } from '../../dist/database/migration-outside.js';
import { readSql } from '../../dist/database/sql-text.js';
import { LOCK_RULES } from './rules/locks.mjs';
import { OBJECT_RULES } from './rules/objects.mjs';
import { ROW_RULES } from './rules/rows.mjs';
import { TABLE_RULES } from './rules/tables.mjs';
import { Schema } from './schema.mjs';
import { describe } from './statement.mjs';

const STATEMENT_RULES = { ...OBJECT_RULES, ...LOCK_RULES, ...ROW_RULES };
export const RULES = { ...TABLE_RULES, ...STATEMENT_RULES };

const ALLOW = /^--\s*lint:\s*allow\s+(\S*?):?(?:\s+(.*))?$/;

/** A reason is more than a word. */
const isReason = (text) => /\S\s+\S/.test(text ?? '');

/** What is wrong with the migrations of each release, one after another. */
export function lintReleases(releases) {
  const schema = new Schema();
  return releases.flatMap((migrations) => {
    const faults = migrations.flatMap((migration) => lintMigration(migration, schema));
    schema.endRelease();
    return faults;
  });
}

function lintMigration({ name, sql }, schema) {
  schema.beginMigration();
  const { statements, comments } = readSql(sql);
  const kind = { isOutside: runsOutside({ sql }) };
  const exemptions = comments.flatMap((comment) => exemptionOf(comment, statements));
  const faults = [];
  for (const [place, statement] of statements.map(describe).entries()) {
    for (const rule of brokenRules(statement, schema, kind)) {
      const exemption = exemptions.find((one) => one.place === place && one.rule === rule);
      if (exemption !== undefined) exemption.isUsed = true;
      else faults.push({ line: statement.line, rule, message: RULES[rule].says });
    }
    schema.learn(statement);
  }
  if (kind.isOutside && statements.length !== 1) faults.push(NOT_ONE);
  return [...faults, ...exemptions.flatMap(faultOfExemption)].map(({ line, rule, message }) => ({
    migration: name,
    line,
    rule,
    message,
  }));
}

const NOT_ONE = {
  line: 1,
  rule: 'outside-is-one',
  message:
    'what runs outside a transaction is one statement: of several, some could be there without the others',
};

function brokenRules(statement, schema, kind) {
  const { altered, actions } = statement;
  const ofTable = Object.entries(TABLE_RULES).filter(
    ([, { breaks }]) =>
      schema.isLive(altered) && actions.some((action) => breaks(action, altered, schema, actions)),
  );
  const ofStatement = Object.entries(STATEMENT_RULES).filter(([, { breaks }]) =>
    breaks(statement, schema, kind),
  );
  return [...ofTable, ...ofStatement].map(([rule]) => rule);
}

/** It belongs to the statement that it stands in, behind on the same line, or before. */
function exemptionOf({ text, line }, statements) {
  const match = ALLOW.exec(text);
  if (match === null) return [];
  const place = statements.findIndex(({ endLine }) => endLine >= line);
  return [{ line, place, rule: match[1], reason: match[2], isUsed: false }];
}

function faultOfExemption({ line, rule, reason, isUsed }) {
  if (!(rule in RULES)) return [{ line, rule: 'exemption', message: `there is no rule "${rule}"` }];
  if (!isReason(reason)) return [{ line, rule: 'exemption', message: `${rule} is allowed without a reason` }];
  return isUsed ? [] : [{ line, rule: 'exemption', message: `nothing here breaks ${rule}: take it away` }];
}
