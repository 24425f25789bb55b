import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cwd, execPath } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

/** The service as it runs in production: a process of its own. */
export interface Replica {
  readonly origin: string;
  readonly port: number;
  readonly pid: number;
  /** The last of what it logged. */
  readonly log: () => string;
  /** Ends it by SIGTERM. Rejects, with what it logged, when it does not end in time or with another code than 0. */
  stop(): Promise<void>;
}

export interface ReplicaOptions {
  readonly databaseUrl: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Of Node.js. */
  readonly flags?: readonly string[];
}

/** Of what a replica logs so much is kept: some hundred lines. */
const LOG_LENGTH_MAX = 100_000;

/** Far beyond what a start and a stop take, also when other tests have both cores. */
const START_MAX_MS = 250_000;
const STOP_MAX_MS = 250_000;

const BANNER = /^Pet Store Service: http:\/\/localhost:(\d+)\/v1$/m;

/** Ends a replica whose test run was killed and could not stop it: its channel to the test closes then. */
const NO_ORPHAN = `data:text/javascript,process.on('disconnect', () => process.exit(1))`;

/** Starts replicas on one database, and waits until all of them serve. When one cannot, none stays. */
export async function startReplicas(count: number, options: ReplicaOptions): Promise<readonly Replica[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, () => startReplica(options)));
  const replicas = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (replicas.length === count) return replicas;
  await Promise.allSettled(replicas.map((replica) => replica.stop()));
  throw new AggregateError(
    started.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
    'not all replicas started',
  );
}

/** Stops all of them, also when one fails to stop, and then says which. */
export async function stopReplicas(replicas: readonly Replica[]): Promise<void> {
  const stopped = await Promise.allSettled(replicas.map((replica) => replica.stop()));
  const faults = stopped.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  if (faults.length > 0) throw new AggregateError(faults, 'a replica did not stop as it should');
}

export async function startReplica({
  databaseUrl,
  environment,
  flags = [],
}: ReplicaOptions): Promise<Replica> {
  const child = spawn(execPath, [...flags, '--import', NO_ORPHAN, join(cwd(), 'dist', 'main.js')], {
    // Nothing of the environment of the one who runs the tests: a replica is what is written here.
    env: {
      DATABASE_URL: databaseUrl,
      HOST: '127.0.0.1',
      PORT: '0',
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const said = collect(child);
  const exited = once(child, 'close');
  const port = await Promise.race([
    bannerPort(child),
    exited.then(() => undefined),
    delay(START_MAX_MS, undefined, { ref: false }),
  ]);
  if (port === undefined || child.pid === undefined) {
    child.kill('SIGKILL');
    await exited;
    throw new Error(`a replica did not start: ${said()}`);
  }

  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid,
    log: said,
    stop: async () => {
      child.kill('SIGTERM');
      await Promise.race([exited, delay(STOP_MAX_MS, undefined, { ref: false })]);
      if (child.exitCode === 0) return;
      const end = child.exitCode ?? child.signalCode ?? `nothing in ${STOP_MAX_MS} ms`;
      child.kill('SIGKILL');
      throw new Error(`a replica ended with ${end} instead of 0 after SIGTERM: ${said().slice(-4000)}`);
    },
  };
}

function bannerPort({ stdout }: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    stdout?.on('data', (bytes) => {
      text += String(bytes);
      const port = BANNER.exec(text)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}

/** The last of what it writes on standard error; read all the time, or it would block. */
function collect({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.on('data', (bytes) => {
    text = (text + String(bytes)).slice(-LOG_LENGTH_MAX);
  });
  return () => text;
}
