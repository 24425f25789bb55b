// The service and its command line, with the variables that docker-compose.yml gives a replica.
import { join } from 'node:path';
import { keepsNamedStatements } from './pgbouncer.mjs';
import { PATH, ROOT, until } from './programs.mjs';

export async function startReplica({ programs, compose, name, ports, databaseUrl }) {
  const { public: port, management } = ports.replicas.get(name);
  const described = Object.entries(compose.services[name].environment).map(([variable, value]) => [
    variable,
    withDefaults(value),
  ]);
  const env = {
    ...Object.fromEntries(described),
    PATH,
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    DATABASE_NAMED_STATEMENTS: keepsNamedStatements() ? 'on' : 'off',
    HOST: '127.0.0.1',
    PORT: String(port),
    MANAGEMENT_HOST: '127.0.0.1',
    MANAGEMENT_PORT: String(management),
    LOG_LEVEL: 'warn',
  };
  const program = programs.start(name, process.execPath, [join(ROOT, 'dist', 'main.js')], { env });
  const isReady = () =>
    fetch(`http://127.0.0.1:${management}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`${name} is ready`, isReady, program);
  return program;
}

/** `${NAME:-default}` is its default: the trial looks at no .env. */
const withDefaults = (value) => String(value).replaceAll(/\$\{\w+(?::-([^}]*))?\}/g, (_, word) => word ?? '');

export async function runCommandLine(programs, databaseUrl, args) {
  const environment = { PATH, DATABASE_URL: databaseUrl };
  const program = programs.start(
    'petstore',
    process.execPath,
    [join(ROOT, 'dist', 'cli', 'main.js'), ...args],
    {
      env: environment,
    },
  );
  const code = await program.ended;
  if (code !== 0) throw new Error(`petstore ${args.join(' ')} ended with ${code}: ${program.said()}`);
}
