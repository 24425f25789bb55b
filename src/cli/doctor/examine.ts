import { DatabaseError } from 'pg';
import type { Config } from '../../config/config.js';
import { ConfigError } from '../../config/environment.js';
import type { CliContext } from '../context.js';
import { explainError } from '../explain-error.js';
import { type Session, withAnyDatabase } from '../session.js';
import { CHECKS } from './checks.js';
import type { Check, Finding, Patient } from './finding.js';

/** Looks at everything. What cannot be looked at, because of what was found before, is left out. */
export async function examine(context: CliContext): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = context.config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map((message) => ({ check: 'configuration', level: 'fail', message }));
  }
  const findings: Finding[] = [
    { check: 'configuration', level: 'ok', message: 'every variable that is set can be used' },
  ];
  try {
    await withAnyDatabase(context, async (session) => {
      findings.push({ check: 'connection', level: 'ok', message: where(session, config) });
      const { client, isEmbedded } = session;
      await lookAtAll({ client, config, isEmbedded, nowMs: context.nowMs }, findings);
    });
  } catch (error) {
    findings.push({ check: 'connection', level: 'fail', message: oneLine(error) });
  }
  return findings;
}

async function lookAtAll(patient: Patient, findings: Finding[]): Promise<void> {
  let hasSchema = true;
  for (const check of CHECKS) {
    if (check.needsSchema && !hasSchema) continue;
    const finding = await look(check, patient);
    findings.push(finding);
    if (check.name === 'migrations' && finding.level === 'fail') hasSchema = false;
  }
}

/** insufficient_privilege */
const NOT_ALLOWED = '42501';

async function look({ name, run }: Check, patient: Patient): Promise<Finding> {
  const { client } = patient;
  try {
    // The time-outs of a role are for requests; counting millions takes longer.
    await client.query('begin read only; set local statement_timeout = 0');
    const finding = await run(patient);
    await client.query('commit');
    return { check: name, ...finding };
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    const isForbidden = error instanceof DatabaseError && error.code === NOT_ALLOWED;
    if (isForbidden) {
      return { check: name, level: 'warn', message: `${error.message}: look as the owner of the tables.` };
    }
    return { check: name, level: 'fail', message: oneLine(error) };
  }
}

const oneLine = (error: unknown): string => explainError(error).text.trim().replaceAll('\n', ' ');

/** Without the password. */
function where({ client, isEmbedded }: Session, { database }: Config): string {
  if (isEmbedded) return `the embedded PostgreSQL in ${database.dataDir}`;
  const { user = '', host, port, database: name = '' } = client;
  return `database ${name} as ${user} at ${host}:${port}`;
}
