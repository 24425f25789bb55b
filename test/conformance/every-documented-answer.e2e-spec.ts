import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DOCUMENT_COPY, documentedAnswers } from './documented-answers.js';
import { asHead, PROVOCATIONS, type Provocation, unchanged } from './provocations.js';
import { REQUESTS } from './requests.js';
import { type Outcome, type Request, setStage, type Stage } from './stage.js';

const OPERATIONS = documentedAnswers();

let stage: Stage;
/** Seconds pass until a request is given up: all of them wait at the same time. */
const timeouts = new Map<string, Promise<Outcome>>();
beforeAll(async () => {
  stage = await setStage();
  for (const { id } of OPERATIONS) timeouts.set(id, provoke(id, PROVOCATIONS.request_timeout));
});
afterAll(() => stage.close());

const requestOf = (id: string): Request => {
  const request = REQUESTS[id];
  if (request === undefined) throw new Error(`test/conformance/requests.ts has no request for ${id}`);
  return request(stage);
};

const provoke = async (id: string, provocation: Provocation): Promise<Outcome> =>
  stage.send(await provocation(requestOf(id), stage));

describe('the document', () => {
  it('is the checked-in copy, to the byte, where the database does not say what the plans are', async () => {
    const served = await stage.cutOff.fetch('/openapi.yaml');
    expect(await served.text()).toBe(DOCUMENT_COPY);
  });
});

describe.each(OPERATIONS)('$id', ({ id, successStatus, codes }) => {
  it(`${successStatus}: answers as it is documented`, async () => {
    expect(await stage.send(requestOf(id))).toEqual({ status: successStatus, code: undefined, faults: [] });
  });

  it.each([...codes])('%d: answers with each documented code (%j)', async (status, documented) => {
    const outcomes = documented.map(async (code) => {
      if (code === 'request_timeout') return await timeouts.get(id);
      return await provoke(id, PROVOCATIONS[code as keyof typeof PROVOCATIONS]);
    });
    expect(await Promise.all(outcomes)).toEqual(documented.map((code) => ({ status, code, faults: [] })));
  });
});

describe.each(OPERATIONS.filter(({ method }) => method === 'GET'))('$id', ({ id }) => {
  it('304: answers as it is documented', async () => {
    expect(await provoke(id, unchanged)).toEqual({ status: 304, code: undefined, faults: [] });
  });

  it.each<[number, Provocation]>([
    [200, (request) => request],
    [304, unchanged],
    [401, PROVOCATIONS.invalid_api_key],
    [412, PROVOCATIONS.precondition_failed],
    [429, PROVOCATIONS.api_key_banned],
    [500, PROVOCATIONS.internal_error],
    [503, PROVOCATIONS.service_unavailable],
  ])('%d: answers HEAD as it is documented', async (status, provocation) => {
    const request = await provocation(requestOf(id), stage);
    expect(await stage.send(asHead(request))).toEqual({ status, code: undefined, faults: [] });
  });
});
