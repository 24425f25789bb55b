import { SERVER_ENCODING } from '../../database/session-settings.js';
import { type Check, fail, ok } from './finding.js';

export const checkEncoding: Check['run'] = async ({ client }) => {
  const { rows } = await client.query<{ encoding: string }>(
    `select current_setting('server_encoding') as encoding`,
  );
  const { encoding = 'unknown' } = rows[0] ?? {};
  if (encoding === SERVER_ENCODING) return ok(encoding);
  return fail(
    `${encoding}: the service does not start on it. Create a database with template template0 encoding '${SERVER_ENCODING}', and restore a dump of this one into it.`,
  );
};
