import { afterEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

let server: Server;
afterEach(() => void server.close());

describe('the health check of the image', () => {
  it.each([
    ['', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1'],
    ['127.0.0.2', '127.0.0.2'],
    ['::1', '::1'],
    ['localhost', 'localhost'],
  ])('requests the management port where MANAGEMENT_HOST is "%s"', async (named, address) => {
    server = createServer((request, response) => response.end(`requested ${request.url}`));
    server.listen(0, address);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const environment = { ...process.env, MANAGEMENT_HOST: named, MANAGEMENT_PORT: String(port) };
    const { stdout } = await promisify(execFile)(process.execPath, ['deploy/health.mjs'], {
      env: environment,
    });
    expect(stdout).toBe('requested /health/live\n');
  });
});
