// Builds the service, unless another process does so in the same folder: two would remove each other's files.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { root } from './project.mjs';

const missing = ['prisma', '@nestjs/cli'].filter((name) => !existsSync(join(root, 'node_modules', name)));
if (missing.length > 0) {
  console.error(`The build needs ${missing.join(' and ')}. Run "npm ci --include=dev".`);
  process.exit(1);
}

/**
 * A socket and no file with a process number, because it ends with its process. In the project, where no other user can take it, and
 * relative, because a path to a socket has at most 103 characters.
 */
process.chdir(root);
const socket = 'node_modules/.petstore-build';

async function listen() {
  try {
    await once(createServer().listen(socket).unref(), 'listening');
    return true;
  } catch (error) {
    if (error.code === 'EADDRINUSE') return false;
    throw error;
  }
}

async function isAbandoned() {
  const client = connect(socket);
  try {
    await once(client, 'connect');
    return false;
  } catch (error) {
    return ['ECONNREFUSED', 'ENOENT'].includes(error.code);
  } finally {
    client.destroy();
  }
}

let mustBeAlone = await listen();
if (!mustBeAlone && (await isAbandoned())) {
  rmSync(socket, { force: true });
  mustBeAlone = await listen();
}
if (!mustBeAlone) {
  console.error(`Another process is building the service in ${root}. Wait until it is done, then try again.`);
  process.exit(1);
}
const { status } = spawnSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit' });
rmSync(socket, { force: true });
process.exitCode = status ?? 1;
