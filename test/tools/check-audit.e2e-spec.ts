import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { env, execPath } from 'node:process';
import { afterEach, describe, expect, it } from '@jest/globals';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** Runs the check with an npm that says this. */
async function check(
  report: string,
  ...words: readonly string[]
): Promise<{ readonly code: number; readonly said: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'check-audit-spec-'));
  folders.push(folder);
  await writeFile(join(folder, 'report'), report);
  await writeFile(
    join(folder, 'npm'),
    `#!/bin/sh\n[ "$1" = audit ] && cat '${join(folder, 'report')}'\nexit 1\n`,
  );
  await chmod(join(folder, 'npm'), 0o755);
  const PATH = `${folder}${delimiter}${env['PATH'] ?? ''}`;
  return await new Promise((resolve) => {
    execFile(execPath, ['tools/check-audit.mjs', ...words], { env: { PATH } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    );
  });
}

const advisory = (severity: string): string =>
  JSON.stringify({
    vulnerabilities: {
      pg: {
        name: 'pg',
        severity,
        range: '<9.0.0',
        via: [{ title: 'SQL by magic', url: 'https://advisories.example/1' }, 'pg-protocol'],
        fixAvailable: true,
      },
    },
    metadata: { vulnerabilities: { [severity]: 1, total: 1 } },
  });

describe('check:audit', () => {
  it('passes when nothing is known', async () => {
    const report = JSON.stringify({ vulnerabilities: {}, metadata: { vulnerabilities: { total: 0 } } });
    expect(await check(report)).toEqual({ code: 0, said: expect.stringContaining('0 lesser advisories') });
  });

  it.each(['high', 'critical'])('fails for what is %s, and says what to do', async (severity) => {
    expect(await check(advisory(severity))).toEqual({
      code: 1,
      said: `${severity}: pg <9.0.0: SQL by magic (https://advisories.example/1); by way of pg-protocol; a fix is there: npm audit fix\n`,
    });
  });

  it('passes for what is less', async () => {
    expect(await check(advisory('moderate'))).toEqual({
      code: 0,
      said: expect.stringContaining('1 lesser advisories'),
    });
  });

  it.each([
    [
      'without a network',
      '{"message":"request to https://registry.example failed, reason: ENOTFOUND"}',
      'ENOTFOUND',
    ],
    ['where the registry has no advisories', '{"message":"405 Method Not Allowed","statusCode":405}', '405'],
    ['when npm says nothing', '', 'nothing that can be read'],
  ])('passes %s and says so, but not where an answer is required', async (_where, report, reason) => {
    const said = expect.stringMatching(`cannot be asked for, so nothing is known: .*${reason}`);
    expect(await check(report)).toEqual({ code: 0, said });
    expect(await check(report, '--required')).toEqual({ code: 1, said });
  });
});
