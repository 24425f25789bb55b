import { Client, escapeLiteral } from 'pg';

/** The part of a shell script that it gives to `psql` as its input. */
export function psqlInputOf(script: string): string {
  const [, input] = /<<'SQL'\n(.*?)^SQL$/ms.exec(script) ?? [];
  if (input === undefined) throw new Error('The script has no input for psql.');
  return input;
}

/**
 * Runs it as `psql` does, as far as our scripts need that: there is no `psql` beside the embedded server.
 *
 * @param urlOf the URL of a database by its name
 */
export async function runPsqlScript(
  input: string,
  environment: Readonly<Record<string, string>>,
  urlOf: (database: string) => string,
): Promise<void> {
  const variables = new Map<string, string>();
  let client = await open(urlOf('postgres'));
  let isSkipped = false;
  let statement = '';
  const commands: Readonly<Record<string, (first: string, second: string) => Promise<void> | void>> = {
    getenv: (name, variable) => {
      const value = environment[variable];
      if (value !== undefined) variables.set(name, value);
    },
    if: (condition) => {
      isSkipped = !variables.has(/^:\{\?(\w+)\}$/.exec(condition)?.[1] ?? '');
    },
    endif: () => {
      isSkipped = false;
    },
    o: () => undefined,
    connect: async (database) => {
      await client.end();
      client = await open(urlOf(database));
    },
  };
  try {
    for (const line of input.split('\n')) {
      const [, command, first = '', second = ''] = /^\\(\w+) ?(\S*) ?(\S*)/.exec(line) ?? [];
      if (command !== undefined) {
        const run = commands[command];
        if (run === undefined) throw new Error(`psql's \\${command} is not known here.`);
        await run(first, second);
      } else if (!isSkipped && !/^(?:--|$)/.test(line)) {
        statement += `${line}\n`;
        if (!/;$|\\gexec$/.test(line)) continue;
        const sql = statement
          .replace(/\\gexec\n$/, '')
          .replaceAll(/:'(\w+)'/g, (_, name: string) => escapeLiteral(variables.get(name) ?? ''));
        const { rows } = await client.query<string[]>({ text: sql, rowMode: 'array' });
        if (statement.endsWith('\\gexec\n')) for (const made of rows.flat()) await client.query(made);
        statement = '';
      }
    }
  } finally {
    await client.end();
  }
}

async function open(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}
