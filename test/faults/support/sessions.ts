import { Client } from 'pg';
import type { PostgresServer } from './postgres-server.js';

/** Opens connections, as others than the service, until the server takes no more. */
export async function takeAllSessions({ url }: PostgresServer): Promise<readonly Client[]> {
  const taken: Client[] = [];
  for (;;) {
    const client = new Client({ connectionString: url, application_name: 'others' });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      return taken;
    }
    taken.push(client);
  }
}
