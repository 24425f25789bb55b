// deploy/postgres/roles.sh, run by psql on real servers: whole, again with other passwords, and again after each place where it
// may have been interrupted.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { SESSION_SETTINGS } from '../../dist/prisma/session-settings.js';
import { root } from '../project.mjs';
import { openTemporaryDatabase } from '../temporary-database.mjs';
import { read } from './files.mjs';

const SCRIPT = 'deploy/postgres/roles.sh';
/** Where Debian puts servers, one folder for each version. */
const DEBIAN_SERVERS = '/usr/lib/postgresql';
const OLDEST = 15;
/** PostgreSQL refuses to run as root: then it runs as nobody. */
const NOBODY = 65_534;
const START_POLL_MS = 50;
const START_ATTEMPTS_MAX = 600;

const ROLES = ['petstore_owner', 'petstore_api', 'petstore_cli', 'petstore_service', 'petstore_operator'];

/** What must be there in the end; a row for each role. */
const OUTCOME = `
  select r.rolname as role, r.rolcanlogin as "mayLogIn", r.rolpassword is not null as "hasPassword",
         array(select g.roleid::regrole::text from pg_auth_members g where g.member = r.oid) as "memberOf",
         d.datdba = r.oid as "isOwner", pg_encoding_to_char(d.encoding) as encoding
  from pg_authid r
  left join pg_database d on d.datname = 'petstore'
  where r.rolname = any ($1)
  order by array_position($1, r.rolname::text)`;

/** What is set for the database, and for a role in it, before a run: sessions of the roles still begin with the service's own. */
const HOSTILE = {
  DateStyle: 'German, DMY',
  TimeZone: 'Asia/Tokyo',
  IntervalStyle: 'sql_standard',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: 'serializable',
  jit: 'on',
};

const WANTED = [
  ['petstore_owner', true, true, [], true],
  ['petstore_api', true, true, ['petstore_service'], false],
  ['petstore_cli', true, true, ['petstore_operator'], false],
  ['petstore_service', false, false, [], false],
  ['petstore_operator', false, false, [], false],
].map(([role, mayLogIn, hasPassword, memberOf, isOwner]) => ({
  role,
  mayLogIn,
  hasPassword,
  memberOf,
  isOwner,
  encoding: 'UTF8',
}));

export async function checkRoles({ fault, tell }) {
  const psql = psqlOnPath();
  if (psql === undefined) {
    tell(`not installed, so ${SCRIPT} was not run: psql`);
    return;
  }
  for (const open of [openEmbedded, ...debianServers()]) {
    const server = await open();
    try {
      const version = await checkOn({ ...server, psql }, (message) => fault(`${SCRIPT}: ${message}`));
      tell(`psql: ${SCRIPT} on PostgreSQL ${version}`);
    } finally {
      await server.close();
    }
  }
}

async function checkOn(server, fault) {
  const client = new pg.Client({ host: server.socketDirectory, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    const { rows } = await client.query('show server_version');
    const at = (message) => fault(`PostgreSQL ${rows[0].server_version}: ${message}`);
    for (const line of ['all', ...statementEnds()]) {
      await removeAll(client);
      const when = line === 'all' ? 'the second run' : `after a run that ended at line ${line}`;
      run(server, line, 'first');
      const before = await passwords(client);
      const { status, stderr } = run(server, 'all', 'second');
      if (status !== 0) at(`${when}: ${stderr.trim()}`);
      else if (stderr !== '') at(`${when}, it complains: ${stderr.trim()}`);
      const { rows: outcome } = await client.query(OUTCOME, [ROLES]);
      if (JSON.stringify(outcome) !== JSON.stringify(WANTED)) at(`${when}: ${JSON.stringify(outcome)}`);
      const after = await passwords(client);
      for (const [role, password] of after) {
        if (password === before.get(role)) at(`${when}, ${role} still has its former password`);
      }
    }
    await checkSettings(client, server, at);
    return rows[0].server_version;
  } finally {
    await client.end();
  }
}

async function checkSettings(superuser, server, fault) {
  const ofRole = 'role petstore_api in database petstore';
  for (const [name, value] of Object.entries(HOSTILE)) {
    await superuser.query(`alter database petstore set ${name} = '${value}'`);
    await superuser.query(`alter ${ofRole} set ${name} = '${value}'`);
  }
  run(server, 'all', 'third');
  for (const user of ['petstore_owner', 'petstore_api', 'petstore_cli']) {
    const client = new pg.Client({ host: server.socketDirectory, user, database: 'petstore' });
    await client.connect();
    for (const [name, wanted] of Object.entries(SESSION_SETTINGS)) {
      const { rows } = await client.query('select current_setting($1) as value', [name]);
      if (rows[0].value !== wanted) fault(`${name} of ${user} is ${rows[0].value}, not ${wanted}`);
    }
    await client.end();
  }
}

/** The lines of the script with which a statement ends: after each the server has done more than before. */
const statementEnds = () =>
  read(SCRIPT)
    .split('\n')
    .flatMap((text, index) => (/^(?!--).*(?:;|\\gexec)$/.test(text) ? [index + 1] : []));

/** Runs the script; up to a line it is ended as by `kill`: psql gets no more of it. */
function run({ socketDirectory, psql }, line, password) {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-check-roles-'));
  try {
    const first =
      read(SCRIPT)
        .split('\n')
        .findIndex((text) => text.includes("<<'SQL'")) + 1;
    const cut = line === 'all' ? `exec ${psql} "$@"` : `head -n ${line - first} | ${psql} "$@"; exit 137`;
    writeFileSync(join(directory, 'psql'), `#!/bin/sh\n${cut}\n`);
    chmodSync(join(directory, 'psql'), 0o755);
    const names = [
      'POSTGRES_PASSWORD',
      ...['OWNER', 'API', 'CLI'].map((name) => `PETSTORE_${name}_PASSWORD`),
    ];
    return spawnSync('sh', [SCRIPT], {
      cwd: root,
      env: {
        PATH: `${directory}:${process.env.PATH}`,
        PGHOST: socketDirectory,
        ...Object.fromEntries(names.map((name) => [name, `${password} ' \\ $`])),
      },
      encoding: 'utf8',
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function passwords(client) {
  const { rows } = await client.query(
    'select rolname, rolpassword from pg_authid where rolpassword is not null',
  );
  return new Map(rows.map(({ rolname, rolpassword }) => [rolname, rolpassword]));
}

async function removeAll(client) {
  await client.query('drop database if exists petstore');
  for (const role of ROLES) await client.query(`drop role if exists ${role}`);
  await client.query('alter role postgres password null');
}

function psqlOnPath() {
  const { status, stdout } = spawnSync('sh', ['-c', 'command -v psql'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const openEmbedded = () => openTemporaryDatabase();

const debianServers = () =>
  (existsSync(DEBIAN_SERVERS) ? readdirSync(DEBIAN_SERVERS) : [])
    .filter((version) => Number(version) >= OLDEST && existsSync(join(DEBIAN_SERVERS, version, 'bin/initdb')))
    .map((version) => () => openDebian(join(DEBIAN_SERVERS, version, 'bin')));

async function openDebian(bin) {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-check-roles-'));
  const isRoot = process.getuid?.() === 0;
  const options = { cwd: directory, encoding: 'utf8', ...(isRoot && { uid: NOBODY, gid: NOBODY }) };
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) for (const path of [directory, data]) chownSync(path, NOBODY, NOBODY);
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const { status, stderr } = spawnSync(join(bin, 'initdb'), initdb, options);
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  const settings = ['listen_addresses=', `unix_socket_directories=${directory}`, 'fsync=off'];
  const child = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((one) => ['-c', one])], {
    ...options,
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  const close = async () => {
    child.kill('SIGINT');
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  for (let attempt = 1; ; attempt += 1) {
    const client = new pg.Client({ host: directory, user: 'postgres', database: 'postgres' });
    const isUp = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    if (isUp) return { socketDirectory: directory, close };
    if (child.exitCode !== null || attempt === START_ATTEMPTS_MAX) {
      await close();
      throw new Error(`the server of ${bin} did not start`);
    }
    await delay(START_POLL_MS);
  }
}
