import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Petstore, petstoreOn } from './support/petstore.js';

// No database is asked.
const petstore: Petstore = petstoreOn('postgresql://127.0.0.1:1/petstore');

const script = async (shell: string): Promise<string> => {
  const { code, stdout } = await petstore(['completion', shell]);
  expect(code).toBe(0);
  return stdout;
};

describe('petstore completion bash', () => {
  let bash: string;
  beforeAll(async () => {
    bash = await script('bash');
  });

  /** What bash offers for a command line whose last word is begun. */
  const offered = (...words: readonly string[]): readonly string[] => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const { stdout, status } = spawnSync('bash', {
      input: `${bash}\nCOMP_WORDS=(petstore ${line}); COMP_CWORD=${words.length}; _petstore; echo "\${COMPREPLY[*]}"`,
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    return stdout.trim().split(' ');
  };

  it.each([
    [['p'], ['plans', 'pets']],
    [
      ['keys', 's'],
      ['show', 'set-plan', 'set-limits', 'suspend'],
    ],
    [
      ['keys', 'issue', '--name', 'x', '--p'],
      ['--plan', '--per-minute', '--per-day'],
    ],
    [['keys', 'list', '--state', 'b'], ['banned']],
    [
      ['pets', 'export', '--json', '--format', ''],
      ['ndjson', 'csv'],
    ],
    [['pets', 'import', '--s'], ['--skip-invalid']],
    // Nothing of its own: bash offers files.
    [['pets', 'import', ''], ['']],
    [['completion', 'f'], ['fish']],
  ])('offers after %j: %j', (words, wanted) => {
    expect(offered(...words)).toEqual(wanted);
  });
});

describe('petstore completion zsh and fish', () => {
  it.each(['zsh', 'fish'])('knows every command and option: %s', async (shell) => {
    const text = await script(shell);
    for (const word of ['keys', 'set-limits', 'per-minute', 'import', 'skip-invalid', 'doctor', 'ndjson']) {
      expect(text).toContain(word);
    }
  });

  it('is for no other shell', async () => {
    expect(await petstore(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
  });
});
