import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { ErrorCode } from '../../src/common/errors/error-codes.js';
import { onDatabase, setStage, type Stage, stoppedClock } from './circumstances.js';
import { Connection } from './connection.js';
import { type Fault, FAULTS, onePerStep, spoiltRequest } from './faults.js';
import { expectSoundAnswer, type Described } from './sound-answer.js';

/** The day on which the deprecated operation is gone. */
const REMOVED_AT_MS = Date.UTC(2030, 11, 5);

const pairs = FAULTS.flatMap((first, index) =>
  FAULTS.slice(index + 1)
    .filter(({ step }) => step !== first.step)
    .map(
      (second) =>
        [
          `${first.status} for ${first.fault}`,
          `${second.status} for ${second.fault}`,
          first,
          second,
        ] as const,
    ),
);

describe('of the faults of a request, the first of section 3 is answered', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await onDatabase('ordinary', { ADDRESS_LIMIT_PER_MINUTE: '10000' }, stoppedClock(REMOVED_AT_MS));
  });
  afterAll(() => stage.close());

  it('none: 201', () => expectAnswer(stage, [], { status: 201, describes: 'key' }));

  it.each(FAULTS.map((fault) => [fault.status, fault.fault, fault] as const))(
    'one: %d for %s',
    (_, __, fault) => expectAnswer(stage, [fault], fault),
  );

  it.each(pairs)('%s comes before %s', (_, __, first, second) => expectAnswer(stage, [second, first], first));

  it('all that go together: each in its turn, when those before it are mended', async () => {
    for (const [index, fault] of FAULTS.entries()) {
      const later = FAULTS.slice(index + 1).filter(({ step }) => step !== fault.step);
      await expectAnswer(stage, [fault, ...onePerStep(later)], fault);
    }
  });
});

describe('what comes before every other fault', () => {
  /** All that can be wrong besides the key. */
  const others = onePerStep(FAULTS.filter(({ step }) => step !== 'key'));
  const noKey = FAULTS.filter(({ fault }) => fault === 'no key');

  it('429 of the address, for a caller without a key', async () => {
    const stage = await setStage('used up');
    await expectAnswer(stage, [...noKey, ...others], {
      status: 429,
      code: 'rate_limit_exceeded',
      describes: 'address',
    });
    await stage.close();
  });

  it('503, for a key that nobody can decide about; without one it is 401', async () => {
    const stage = await setStage('no database');
    await expectAnswer(stage, others, { status: 503, code: 'service_unavailable', describes: 'address' });
    await expectAnswer(stage, [...noKey, ...others], {
      status: 401,
      code: 'missing_api_key',
      describes: 'address',
    });
    await stage.close();
  });
});

const readsAnimal = (id: number, ifMatch?: string): Pick<Fault, 'spoil'> => ({
  spoil: (parts) => ({
    ...parts,
    method: 'GET',
    target: `/v1/pets/${id}`,
    length: ifMatch === undefined ? 'X-Length: none' : `If-Match: ${ifMatch}`,
    body: '',
  }),
});

describe('what only the handler knows', () => {
  /** An animal that does not exist. */
  const absent = readsAnimal(404);

  it('comes last', async () => {
    const stage = await setStage('ordinary');
    await expectAnswer(stage, [absent], { status: 404, code: 'pet_not_found', describes: 'key' });
    for (const fault of FAULTS.filter(({ step }) => step === 'key' || step === 'expectation')) {
      await expectAnswer(stage, [absent, fault], fault);
    }
    await stage.close();
  });

  it('comes before a condition that does not hold', async () => {
    const stage = await setStage('ordinary');
    await expectAnswer(stage, [readsAnimal(404, '"another"')], {
      status: 404,
      code: 'pet_not_found',
      describes: 'key',
    });
    const conflicting = readsAnimal(1, '"another"');
    const failed = { status: 412, code: 'precondition_failed', describes: 'key' } as const;
    await expectAnswer(stage, [conflicting], failed);
    for (const fault of FAULTS.filter(({ step }) => step === 'key' || step === 'expectation')) {
      await expectAnswer(stage, [conflicting, fault], fault);
    }
    await stage.close();
  });
});

function expectAnswer(
  { service, keys, nowMs }: Stage,
  faults: readonly Pick<Fault, 'spoil'>[],
  {
    status,
    code,
    describes,
  }: { readonly status: number; readonly code?: ErrorCode; readonly describes: Described },
): Promise<void> {
  return Connection.with(service.port, async (connection) => {
    const sentAtMs = nowMs();
    connection.send(spoiltRequest(faults, keys));
    expectSoundAnswer(await connection.answer(), { status, code, describes, sentAtMs });
  });
}
