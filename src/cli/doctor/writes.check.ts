import { type Check, fail, ok } from './finding.js';

/** Whether the service could write; the checks themselves run read only. */
export const checkWrites: Check['run'] = async ({ client }) => {
  const { rows } = await client.query<{ standby: boolean; source: string | null }>(
    `select pg_is_in_recovery() as standby,
            (select source from pg_settings
             where name = 'default_transaction_read_only' and setting::boolean) as source`,
  );
  const { standby = false, source = null } = rows[0] ?? {};
  if (standby) return fail('a standby takes none: connect to the primary, or promote it (pg_promote()).');
  if (source !== null) {
    return fail(`default_transaction_read_only is on, set by the ${source}: reset it there.`);
  }
  return ok('the database takes them');
};
