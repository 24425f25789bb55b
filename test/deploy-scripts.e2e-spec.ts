import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { env } from 'node:process';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';

let folder: string;
let backups: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-scripts-'));
  backups = join(folder, 'back ups');
  await mkdir(backups);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program that the script finds before the real one. */
async function stub(name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{
    readonly code: number | string;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

function run(words: readonly string[], environment: Readonly<Record<string, string>>): Running {
  const child = spawn('sh', words, {
    env: { ...environment, PATH: `${folder}${delimiter}${env['PATH'] ?? ''}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]).then(
    ([[code, signal], stdout, stderr]) => ({ code: (code ?? signal) as number | string, stdout, stderr }),
  );
  return { child, ended };
}

const dumps = async (): Promise<readonly string[]> => (await readdir(backups)).toSorted();

const backUp = (environment: Readonly<Record<string, string>>, mode = 'once'): Running =>
  run([join(folder, 'backup.sh'), mode], environment);

/** The log-in as a service fails; four sessions of it are open. */
const psql = (fault: string, sessions: number): string => `
  case "$*" in
    *--host*) echo '${fault}' >&2; exit 2 ;;
    *count*) echo ${sessions} ;;
    *) echo ran >>"$RAN"; cat >/dev/null ;;
  esac`;

const roles = (): Running =>
  run(['deploy/postgres/roles.sh'], {
    SECRETS: join(folder, 'secrets'),
    PASSWORD_CHECK_HOST: 'db',
    RAN: join(folder, 'ran'),
  });

const hasRun = async (): Promise<boolean> => (await readdir(folder)).includes('ran');

describe('deploy/postgres/backup.sh', () => {
  const OLD = ['petstore-20260101T000000Z.dump', 'petstore-20260102T000000Z.dump'];

  beforeEach(async () => {
    const script = await readFile('deploy/postgres/backup.sh', 'utf8');
    expect(script).toContain('directory=/backups\n');
    await writeFile(
      join(folder, 'backup.sh'),
      script.replace('directory=/backups\n', `directory='${backups}'\n`),
    );
    for (const name of OLD) await writeFile(join(backups, name), 'old');
    // The file is the word after --file.
    await stub('pg_dump', 'while [ "$1" != --file ]; do shift; done; echo dump >"$2"');
  });

  it('keeps the latest BACKUP_KEEP dumps', async () => {
    const { code, stdout } = await backUp({ BACKUP_KEEP: '2' }).ended;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^backed up: .*, 5 bytes\n$/),
    });
    expect(await dumps()).toEqual([OLD[1], expect.stringMatching(/^petstore-\d{8}T\d{6}Z\.dump$/)]);
  });

  it.each(['0', '30d', '08', '-1', '', '1.5', '99999'])(
    'rejects BACKUP_KEEP=%s and touches nothing',
    async (keep) => {
      const { code, stdout, stderr } = await backUp({ BACKUP_KEEP: keep }).ended;
      expect({ code, stdout, stderr }).toEqual({
        ...{ code: 2, stdout: '' },
        stderr: `BACKUP_KEEP must be a whole number from 1 to 9999, not '${keep}'.\n`,
      });
      expect(await dumps()).toEqual(OLD);
    },
  );

  it.each(['0', '1h', '', '024'])('rejects BACKUP_EVERY_HOURS=%s before the first dump', async (hours) => {
    const { code, stderr } = await backUp({ BACKUP_KEEP: '2', BACKUP_EVERY_HOURS: hours }, 'always').ended;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('BACKUP_EVERY_HOURS must be'),
    });
    expect(await dumps()).toEqual(OLD);
  });

  it('removes a failed dump, and says so', async () => {
    await stub('pg_dump', 'while [ "$1" != --file ]; do shift; done; echo half >"$2"; exit 1');
    const { code, stderr } = await backUp({ BACKUP_KEEP: '2' }).ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'no backup: see the line before\n' });
    expect(await dumps()).toEqual(OLD);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('leaves nothing of a dump that %s interrupts', async (signal) => {
    await stub('pg_dump', 'while [ "$1" != --file ]; do shift; done; echo half >"$2"; exec sleep 1000');
    const { child, ended } = backUp({ BACKUP_KEEP: '2', BACKUP_EVERY_HOURS: '24' }, 'always');
    await eventually(async () => expect(await dumps()).toHaveLength(3));
    child.kill(signal);
    expect(await ended).toMatchObject({ code: signal === 'SIGTERM' ? 143 : 130 });
    expect(await dumps()).toEqual(OLD);
  });

  it('removes leftovers of a killed run, but not a dump in progress', async () => {
    const [left, present] = ['petstore-20260103T000000Z.dump.part', 'petstore-20260104T000000Z.dump.part'];
    for (const name of [left, present]) await writeFile(join(backups, name), 'half');
    await utimes(join(backups, left), 0, 0);
    await backUp({ BACKUP_KEEP: '9' }).ended;
    expect(await dumps()).toEqual([...OLD, present, expect.stringMatching(/\.dump$/)]);
  });
});

describe('deploy/postgres/roles.sh', () => {
  const SECRETS = ['postgres', 'petstore_owner', 'petstore_api', 'petstore_api_2', 'petstore_cli'];

  beforeEach(async () => {
    await mkdir(join(folder, 'secrets'));
    for (const name of SECRETS) await writeFile(join(folder, 'secrets', name), 'x');
    await stub('pg_isready', 'exit 0');
  });

  it.each([
    'FATAL:  password authentication failed for user "petstore_api"',
    'FATAL:  Passwort-Authentifizierung für Benutzer »petstore_api« fehlgeschlagen',
  ])(
    'takes no password away from a service that runs, in whatever language the server speaks: %s',
    async (fault) => {
      await stub('psql', psql(fault, 4));
      const { code, stderr } = await roles().ended;
      expect(code).toBe(1);
      expect(stderr).toContain(
        'petstore_api cannot log in with the password in secrets/petstore_api, while it has 4 open sessions',
      );
      expect(stderr).toContain(fault);
      expect(await hasRun()).toBe(false);
    },
  );

  it('sets the passwords while no service is logged in', async () => {
    await stub('psql', psql('FATAL:  role "petstore_api" does not exist', 0));
    expect(await roles().ended).toMatchObject({ code: 0 });
    expect(await hasRun()).toBe(true);
  });
});
