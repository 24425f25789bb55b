// npm run trial:scale: what the profile scale of docker-compose.yml promises, tried on this machine without containers.
// A PostgreSQL of its own, PgBouncer and HAProxy from the PATH, three replicas of dist/; it takes about a minute.
import { setTimeout as delay } from 'node:timers/promises';
import { keepsNamedStatements } from './pgbouncer.mjs';
import { versionOf } from './programs.mjs';
import { rollingRestart } from './rolling-restart.mjs';
import { startStack } from './stack.mjs';
import { addresses, withoutDatabase, withoutReplicas } from './through-haproxy.mjs';
import { asynchronousCommit, exactLimits, groups, transactionMode } from './through-pgbouncer.mjs';
import { lostConnections, statementTimeouts } from './trouble.mjs';

const versions = { haproxy: versionOf('haproxy', '-v'), pgbouncer: versionOf('pgbouncer') };
const absent = Object.keys(versions).filter((name) => versions[name] === undefined);
if (absent.length > 0) {
  console.error(
    `The trial needs ${absent.join(' and ')} on the PATH (Debian: apt install haproxy pgbouncer).`,
  );
  process.exit(1);
}
console.log(
  `${versions.haproxy}\n${versions.pgbouncer}, transaction mode, statements ${keepsNamedStatements() ? 'named' : 'not named'}\n`,
);

const parts = [
  transactionMode,
  groups,
  exactLimits,
  asynchronousCommit,
  statementTimeouts,
  lostConnections,
  addresses,
  withoutDatabase,
  rollingRestart,
  withoutReplicas,
];

let failures = 0;
/** One line for each thing that must hold. */
const check = (what, holds, figures) => {
  if (!holds) failures += 1;
  const shown = typeof figures === 'string' ? figures : JSON.stringify(figures);
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}${shown === '' ? '' : `: ${shown}`}`);
};

await awayFromMidnight();
const stack = await startStack();
try {
  for (const part of parts) await part({ stack, check });
} finally {
  await stack.database.end();
  await stack.close();
}
console.log(failures === 0 ? '\nall of it holds' : `\n${failures} do not hold`);
process.exitCode = failures === 0 ? 0 : 1;

/** The day of the limits must not end meanwhile. */
async function awayFromMidnight() {
  const leftMs = 86_400_000 - (Date.now() % 86_400_000);
  if (leftMs > 180_000) return;
  console.log(`The day ends in ${Math.ceil(leftMs / 1000)} s (UTC): the trial begins after that.`);
  await delay(leftMs + 1000);
}
