// PgBouncer with the settings of deploy/pgbouncer/, before the server of the trial.
import { chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accepts, DEPLOY, PATH, until, versionOf } from './programs.mjs';

/** It keeps statements that were prepared by name since this version. */
const NAMED_STATEMENTS_SINCE = [1, 21];

/** Whether the installed PgBouncer keeps prepared statements. */
export function keepsNamedStatements() {
  const [major, minor] = (/(\d+)\.(\d+)/.exec(versionOf('pgbouncer') ?? '') ?? []).slice(1).map(Number);
  return major > NAMED_STATEMENTS_SINCE[0] || minor >= NAMED_STATEMENTS_SINCE[1];
}

export async function startPgBouncer({ programs, directory, socketDirectory, password }, port) {
  const named = /^max_prepared_statements.*$/m.exec(
    readFileSync(join(DEPLOY, 'pgbouncer/pgbouncer.ini'), 'utf8'),
  );
  const settings = join(directory, 'settings.ini');
  const users = join(directory, 'userlist.txt');
  const file = join(directory, 'pgbouncer.ini');
  copyFileSync(join(DEPLOY, 'pgbouncer/settings.ini'), settings);
  writeFileSync(users, `"petstore_api" "${password}"\n`);
  writeFileSync(
    file,
    `[databases]
petstore = host=${socketDirectory} dbname=petstore_trial
[pgbouncer]
%include ${settings}
auth_file = ${users}
listen_addr = 127.0.0.1
listen_port = ${port}
${keepsNamedStatements() ? named[0] : ''}
`,
  );
  // It refuses to run as root, as PostgreSQL does: then it runs as the server's user, who may enter the socket's directory.
  const { uid, gid } = statSync(socketDirectory);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const path of [directory, settings, users, file]) chownSync(path, uid, gid);
  const options = { env: { PATH }, cwd: directory, ...(isRoot && { uid, gid }) };
  const program = programs.start('pgbouncer', 'pgbouncer', [file], options);
  await until('PgBouncer accepts', () => accepts(port), program);
  return program;
}
