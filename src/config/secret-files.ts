import { readFileSync } from 'node:fs';

/** Variables with a secret. `<name>_FILE` may name a file with it instead, as Docker and Kubernetes mount secrets. */
const SECRETS = ['DATABASE_URL'] as const;

export interface SecretsRead {
  /** The environment with the secrets that files contain. */
  readonly variables: ReadonlyMap<string, string>;
  /** Errors, one line each, which names the variable. */
  readonly faults: readonly string[];
}

/** Reads the files that hold secrets. White space around a secret is not part of it. */
export function readSecretFiles(environment: ReadonlyMap<string, string>): SecretsRead {
  const variables = new Map(environment);
  const faults: string[] = [];
  for (const name of SECRETS) {
    const variable = `${name}_FILE`;
    const file = environment.get(variable);
    if (file === undefined) continue;
    if (environment.has(name)) faults.push(`${variable}: must not be set together with ${name}`);
    try {
      const secret = readFileSync(file, 'utf8').trim();
      if (secret === '') faults.push(`${variable}: the file ${file} is empty`);
      else variables.set(name, secret);
    } catch (error) {
      faults.push(`${variable}: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return { variables, faults };
}
