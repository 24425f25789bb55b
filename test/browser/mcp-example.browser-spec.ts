import { execFile } from 'node:child_process';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { useService } from '../support/use-service.js';

const service = useService();

it('the example of MCP lets an assistant buy a pet, over stdio and over HTTP', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['test.mjs'], {
    cwd: 'examples/mcp',
    env: { PATH: env['PATH'], PETSTORE_URL: `${service.origin}/v1`, PETSTORE_KEY: service.key },
  });
  expect(stdout).toBe('bought two pets, over stdio and over HTTP\n');
});
