import { afterAll } from '@jest/globals';

const closing: (() => Promise<void>)[] = [];

/** What stays open keeps Jest from ending, so that one failure keeps nothing else open. */
afterAll(async () => {
  const failures: unknown[] = [];
  for (const close of closing.splice(0).toReversed()) await close().catch((error) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'could not be closed');
});

/** Closes it after the tests of the file, the last one first, also when the set-up fails before its end. */
export async function closeAtEnd<Opened extends { close(): Promise<void> }>(
  opening: Opened | Promise<Opened>,
): Promise<Opened> {
  const opened = await opening;
  closing.push(() => opened.close());
  return opened;
}
