import { type Check, fail, ok, warn } from './finding.js';

export const checkDurability: Check['run'] = async ({ client }) => {
  const { rows } = await client.query<{
    fsync: string;
    full_page_writes: string;
    synchronous_commit: string;
  }>(
    `select current_setting('fsync') as fsync,
            current_setting('full_page_writes') as full_page_writes,
            current_setting('synchronous_commit') as synchronous_commit`,
  );
  const { fsync, full_page_writes: fullPages, synchronous_commit: commit } = rows[0] ?? {};
  if (fsync !== 'on')
    return fail('fsync is off: a crash of the machine may destroy everything. Set fsync = on.');
  if (fullPages !== 'on') {
    return warn(
      'full_page_writes is off: unless the disk never tears a page, a crash may destroy some. Set it on.',
    );
  }
  if (commit === 'off') {
    return fail(
      'synchronous_commit is off: a crash loses animals and orders that were answered with 201. Set it on.',
    );
  }
  return ok(`fsync on, synchronous_commit ${commit ?? 'unknown'}`);
};
