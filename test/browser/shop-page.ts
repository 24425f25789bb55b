import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The shop of the examples: a page of another origin, which has the client. */
export interface ShopPage {
  readonly origin: string;
  close(): Promise<void>;
}

/** Serves the shop, and an installed package of the client, as `npm run example` does. */
export async function serveShop(packageFolder: string): Promise<ShopPage> {
  const server = spawn(process.execPath, ['examples/serve.mjs'], {
    env: { SHOP_PORT: '0', CLIENT: packageFolder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  return {
    origin: /http:\S+/.exec(String(line))?.[0] ?? '',
    close: async () => {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}
