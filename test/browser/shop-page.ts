import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

/** A page of the examples: of another origin than the service. */
export interface ShopPage {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the shop, and an installed package of the client, as `npm run example` does. */
export const serveShop = (packageFolder: string): Promise<ShopPage> =>
  served(['examples/serve.mjs'], '.', { SHOP_PORT: '0', CLIENT: packageFolder });

/** Builds the example in React, and serves what was built. Its packages must be installed. */
export async function serveReactShop(): Promise<ShopPage> {
  const cwd = 'examples/react';
  await promisify(execFile)('npm', ['run', 'build'], { cwd });
  return await served(['node_modules/vite/bin/vite.js', 'preview', '--port', '0'], cwd, { NO_COLOR: '1' });
}

async function served(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<ShopPage> {
  const server = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  while (!/http:\S+\n/.test(text)) text += String(((await once(server.stdout, 'data')) as [Buffer])[0]);
  return {
    origin: /http:\/\/[^\s/]+/.exec(text)?.[0] ?? '',
    close: async () => {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}
