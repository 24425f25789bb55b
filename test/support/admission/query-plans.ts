import type { Client } from 'pg';
import { admissionSql } from '../../../src/auth/admission/general-admission.sql.js';
import { plainAdmissionSql } from '../../../src/auth/admission/plain-admission.sql.js';

export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Total Cost': number;
  readonly Plans?: readonly PlanNode[];
}

export const nodesOf = (node: PlanNode): readonly PlanNode[] => [
  node,
  ...(node.Plans ?? []).flatMap(nodesOf),
];

/** The plan that PostgreSQL settles on, which knows no values, of each admission statement. */
export const planOf = {
  plain: (client: Client): Promise<PlanNode> =>
    genericPlanOf(client, plainAdmissionSql, 'bytea[], int[], timestamptz', `'{}', '{}', null`),
  general: (client: Client): Promise<PlanNode> =>
    genericPlanOf(
      client,
      admissionSql,
      'bytea[], int[], timestamptz, int, int, int',
      `'{}', '{}', null, 20, 60, 3600`,
    ),
};

async function genericPlanOf(client: Client, sql: string, types: string, values: string): Promise<PlanNode> {
  await client.query('set plan_cache_mode = force_generic_plan');
  await client.query(`prepare looked_at (${types}) as ${sql}`);
  const { rows } = await client.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `explain (format json) execute looked_at (${values})`,
  );
  await client.query('deallocate looked_at');
  await client.query('reset plan_cache_mode');
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('no plan');
  return plan;
}
