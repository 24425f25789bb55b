import { expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { holdOpen } from './support/operators.js';
import { send, tally } from './support/send.js';
import { useService } from './support/use-service.js';

const service = useService({ provokes503: true });

it('counters of one key that an open transaction has locked cost requests of that key alone', async () => {
  const locked = await service.issueKey();
  const others = await Promise.all(Array.from({ length: 5 }, () => service.issueKey()));
  const lock = await holdOpen(
    service.databaseUrl,
    'select from api_key_counters where api_key_id = $1 for update',
    [locked.id],
  );
  let isHeld = true;
  // Without a pause, so that each batch would contain the key.
  const client = async (): Promise<void> => {
    while (isHeld) expect((await send(service.origin, { key: locked.key })).status).toBe(503);
  };
  const clients = Promise.all(Array.from({ length: 4 }, client));
  // The first batches find out.
  await eventually(async () => {
    const responses = Array.from({ length: 10 }, () =>
      Promise.all(others.map(({ key }) => send(service.origin, { key }))),
    );
    expect(tally((await Promise.all(responses)).flat())).toEqual({ 200: 50 });
  });
  isHeld = false;
  await clients;
  await lock.stop();
  await eventually(async () => {
    expect((await send(service.origin, { key: locked.key })).status).toBe(200);
  });
});
