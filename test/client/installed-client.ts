import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { cwd, env, execPath } from 'node:process';
import { promisify } from 'node:util';

/** A new folder with the packed client installed, as a user of the client has it. */
export interface InstalledClient {
  /** Where the package lies: what `npm pack` took along, and nothing else. */
  readonly packageFolder: string;
  /** Writes files into the folder and runs Node.js there; rejects when that fails, with what it printed. */
  node(
    args: readonly string[],
    files: Files,
    environment?: Readonly<Record<string, string>>,
  ): Promise<string>;
  /** Removes it. */
  close(): Promise<void>;
}

type Files = Readonly<Record<string, string>>;

export const COMPILER = join(
  dirname(createRequire(join(cwd(), 'package.json')).resolve('@typescript/native/package.json')),
  'bin/tsc',
);

const run = promisify(execFile);

/** Installs the client that the service serves, away from the sources. It needs no network. */
export async function installClient(): Promise<InstalledClient> {
  const home = await mkdtemp(join(tmpdir(), 'petstore-client-'));
  const [file = ''] = await readdir('dist/client');
  // Its prefix is said, because npm would otherwise take a folder above that holds packages.
  await npm(['install', resolve('dist/client', file), '--prefix', home, '--offline', '--no-audit'], home);
  return {
    packageFolder: join(home, 'node_modules/@petstore/client'),
    node: async (args, files, environment = {}) => {
      await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(home, name), text)));
      const ended = await run(execPath, args, { cwd: home, env: { PATH: env['PATH'], ...environment } });
      return ended.stdout;
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}

const npm = (args: readonly string[], folder: string): Promise<{ readonly stdout: string }> =>
  run('npm', [...args], { cwd: folder, env: { ...env, npm_config_update_notifier: 'false' } });
