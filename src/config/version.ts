import { readFileSync } from 'node:fs';

/** This release's version, the same from src and, compiled, from dist. */
export function releaseVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  const { version }: { version: string } = JSON.parse(readFileSync(file, 'utf8'));
  return version;
}
