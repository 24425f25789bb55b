// The proxies of docs/reverse-proxy.md on this machine, with the files of deploy/proxy, before a service that is published on a port of it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { closeIdle, count, send, shopRequest, tally } from './client.mjs';

const PORT = '19443';
const ORIGIN = `https://localhost:${PORT}`;

/** A self-signed certificate: NAME.crt and NAME.key. */
export function selfSigned(directory, name) {
  const files = `-keyout ${name}.key -out ${name}.crt`;
  const options = `-x509 -newkey rsa:2048 -nodes ${files} -days 2 -subj /CN=${name}`.split(' ');
  spawnSync('openssl', ['req', ...options], { cwd: directory });
}

function replaced(file, changes) {
  return Object.entries(changes).reduce(
    (text, [from, to]) => text.replaceAll(from, to),
    readFileSync(file, 'utf8'),
  );
}

/** Their configuration, with the ports and paths of the trial. */
function configure(directory, port) {
  selfSigned(directory, 'site');
  const service = { '127.0.0.1:3000': `127.0.0.1:${port}` };
  const site = replaced(join(directory, 'deploy/proxy/nginx.conf'), {
    ...{ ...service, 443: PORT, '/etc/ssl/petstore': directory, 'api.example.com': 'localhost' },
  });
  const nginx = join(directory, 'nginx.conf');
  const events = `pid ${directory}/nginx.pid; worker_rlimit_nofile 8192; events { worker_connections 4096; }`;
  writeFileSync(nginx, `${events} http { access_log off; error_log ${directory}/nginx.log; ${site} }`);
  const caddy = join(directory, 'Caddyfile');
  const tls = `https://localhost:${PORT} {\n\ttls ${directory}/site.crt ${directory}/site.key`;
  const hosts = replaced(join(directory, 'deploy/proxy/Caddyfile'), { ...service, 'api.example.com {': tls });
  writeFileSync(caddy, `{\n\tadmin off\n}\n${hosts}`);
  return {
    nginx: ['-p', directory, '-c', nginx, '-g', 'daemon off;'],
    caddy: ['run', '--adapter', 'caddyfile', '--config', caddy],
  };
}

/** 500 requests at once, the `Location` of a new pet, and the address of a client that writes one itself. */
async function tryProxy(key, logged) {
  const since = new Date().toISOString();
  const burst = await Promise.all(
    Array.from({ length: 500 }, (_, i) => shopRequest(ORIGIN, key, i, 'proxied')),
  );
  const location = burst.find(({ status }) => status === 201)?.headers.location ?? '/';
  const pet = await send(ORIGIN, { key, path: new URL(location, ORIGIN).pathname });
  const forged = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' };
  const keyless = await Promise.all(Array.from({ length: 300 }, () => send(ORIGIN, { headers: forged })));
  await delay(1000);
  const addresses = String([...new Set(logged(since).match(/(?<="clientAddress":")[^"]*/g))]);
  const isWell = count(burst, 200, 201) === 500 && pet.status === 200 && addresses === '127.0.0.1';
  return {
    isWell: isWell && count(keyless, 429) > 0 && count(keyless, 401, 429) === 300,
    figure: `${tally(burst)}, ${pet.status}, ${addresses}, ${tally(keyless)}`,
  };
}

/**
 * Tries each proxy that is installed.
 *
 * @param logged the log of the service since a time
 */
export async function tryProxies({ directory, port, key, logged }) {
  const results = [];
  for (const [name, args] of Object.entries(configure(directory, port))) {
    const child = spawn(name, args, {
      stdio: 'ignore',
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    });
    child.once('error', () => undefined);
    await delay(2000);
    if (child.pid === undefined) {
      results.push({ name, isWell: true, figure: 'not tried: it is not installed' });
      continue;
    }
    results.push({ name, ...(await tryProxy(key, logged)) });
    child.kill();
    await once(child, 'exit');
    closeIdle();
  }
  return results;
}
