import { expect, it } from '@jest/globals';
import { serverError } from '../../test/support/fake-send.js';
import type { PrismaService } from './prisma.service.js';
import { skippingUsedIds } from './used-ids.js';

it('a statement that loses ten races is not retried again, and throws the server error', async () => {
  const duplicate = Object.assign(serverError('23505'), { constraint: 'categories_name_key' });
  let sent = 0;
  const sending = skippingUsedIds({} as PrismaService, 'categories', 0, () => {
    sent += 1;
    return Promise.reject(duplicate);
  });
  await expect(sending).rejects.toBe(duplicate);
  expect(sent).toBe(10);
});
