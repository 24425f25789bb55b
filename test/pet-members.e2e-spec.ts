import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import type { NewPet, Pet, PetStore } from '../client/src/index.js';
import { clientOf } from './client/clients.js';
import {
  bodyOf,
  MEMBER_NAMES,
  PET_MEMBERS,
  type PetMember,
  type PetMembers,
  smallestPet,
  wholePet,
} from './support/pet-members.js';
import { useService } from './support/use-service.js';
import { cases } from './support/cases.js';

const service = useService();
let client: PetStore;
beforeAll(() => {
  client = clientOf(service, service.key);
});

const RUNS = { numRuns: cases(40) };

const create = (members: PetMembers, headers = {}): Promise<Response> =>
  service.post('/v1/pets', bodyOf(members), headers);
const change = (id: string, members: PetMembers, headers = {}): Promise<Response> =>
  service.send('PATCH', `/v1/pets/${id}`, bodyOf(members), headers);
const find = (id: string): Promise<Response> => service.get(`/v1/pets/${id}`);

/** Creates a pet, and returns its identifier. */
async function idOfNew(members: PetMembers): Promise<string> {
  const response = await create(members);
  expect(response.status).toBe(201);
  return idIn(response);
}

const idIn = ({ headers }: Response): string => headers.get('location')?.split('/').at(-1) ?? '';

/** The JSON of a pet. */
const jsonOf = (id: string, members: PetMembers): string => bodyOf(members, `"id":${id}`);

/** Expects all ways to read a pet to return these members. */
async function expectStored(id: string, members: PetMembers): Promise<void> {
  const json = jsonOf(id, members);
  const found = await find(id);
  expect(await found.text()).toBe(json);
  const lists = [`id=${id}`, `categoryId=${members.categoryId}&limit=100`, 'sort=-id&limit=100'];
  if (members.status !== undefined) lists.push(`status=${JSON.parse(members.status)}&sort=-id&limit=100`);
  for (const query of lists) {
    expect(await (await service.get(`/v1/pets?${query}`)).text()).toContain(json);
  }
}

/** A pet, and other values for every member. */
const twoPets = fc.tuple(fc.oneof(wholePet, smallestPet), wholePet);

describe('every member of a pet', () => {
  it('is stored and returned exactly as it was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(wholePet, smallestPet), async (members) => {
        await service.pool.query('truncate pets, orders');
        const response = await create(members);
        const id = idIn(response);
        expect(await response.text()).toBe(jsonOf(id, members));
        await expectStored(id, members);
        expect(response.headers.get('etag')).toBe((await find(id)).headers.get('etag'));
      }),
      RUNS,
    );
  });

  it('changes alone, where the others stay, and is part of the ETag', async () => {
    await fc.assert(
      fc.asyncProperty(twoPets, async ([members, others]) => {
        await service.pool.query('truncate pets, orders');
        const id = await idOfNew(members);
        let present = members;
        for (const name of MEMBER_NAMES) {
          const etag = (await find(id)).headers.get('etag') ?? '';
          const changed = { ...present, [name]: others[name] };
          const response = await change(id, { [name]: others[name] }, { 'if-match': etag });
          expect(await response.text()).toBe(jsonOf(id, changed));
          const isOther = changed[name] !== present[name];
          expect(response.headers.get('etag') !== etag).toBe(isOther);
          for (const stale of isOther ? [etag] : []) {
            expect((await change(id, members, { 'if-match': stale })).status).toBe(412);
            const init = { key: service.key, method: 'DELETE', headers: { 'if-match': stale } };
            expect((await service.fetch(`/v1/pets/${id}`, init)).status).toBe(412);
          }
          present = changed;
          await expectStored(id, present);
        }
        const etag = (await find(id)).headers.get('etag') ?? '';
        const init = { key: service.key, method: 'DELETE', headers: { 'if-match': etag } };
        expect((await service.fetch(`/v1/pets/${id}`, init)).status).toBe(204);
      }),
      RUNS,
    );
  });

  it('is in the repeat of a request, and the same members again are no change', async () => {
    await fc.assert(
      fc.asyncProperty(twoPets, fc.uuid(), async ([members, others], key) => {
        const first = await create(members, { 'idempotency-key': key });
        const id = idIn(first);
        expect(await (await change(id, others)).text()).toBe(jsonOf(id, others));
        expect(await (await change(id, others)).text()).toBe(jsonOf(id, others));
        const repeat = await create(members, { 'idempotency-key': key });
        expect([repeat.headers.get('idempotency-replayed'), await repeat.text()]).toEqual([
          'true',
          jsonOf(id, members),
        ]);
        expect(await first.text()).toBe(jsonOf(id, members));
      }),
      RUNS,
    );
  });

  it('goes through the client and comes back', async () => {
    await fc.assert(
      fc.asyncProperty(twoPets, async ([members, others]) => {
        const pet = await client.createPet(ofClient(members));
        expect(pet).toEqual({ id: pet.id, ...ofClient(members) });
        expect(await client.getPet(pet.id)).toEqual(pet);
        const changed = { ...pet, ...ofClient(others) };
        expect(await client.changePet(pet.id, ofClient(others))).toEqual(changed);
        expect((await client.listPets({ id: pet.id })).items).toEqual([changed]);
      }),
      RUNS,
    );
  });
});

/** The members as the client takes and returns them: an int64 as text. */
const ofClient = (members: PetMembers): NewPet & Omit<Pet, 'id'> =>
  Object.fromEntries(
    Object.entries(members).map(([name, json]) => [name, json.startsWith('"') ? JSON.parse(json) : json]),
  ) as unknown as NewPet & Omit<Pet, 'id'>;

describe.each(MEMBER_NAMES)('the member %s', (name: PetMember) => {
  const { column, isOptional = false, wrong, wrongInColumn } = PET_MEMBERS[name];
  const [rex] = fc.sample(wholePet, { numRuns: 1, seed: 1 });

  it.each(wrong)('cannot be %s, and is named', async (value) => {
    const id = await idOfNew(rex ?? {});
    for (const response of [await create({ ...rex, [name]: value }), await change(id, { [name]: value })]) {
      expect([response.status, await response.json()]).toEqual([
        400,
        { code: 'invalid_body', message: expect.stringMatching(new RegExp(`^${name} must`)), status: 400 },
      ]);
    }
    await expectStored(id, rex ?? {});
  });

  it.each(wrongInColumn)('cannot be %s in SQL either', async (value) => {
    const { pool } = service;
    const id = await idOfNew(rex ?? {});
    const update = `update pets set ${column} = (jsonb_populate_record(pets, $1)).${column} where id = $2`;
    await expect(pool.query(update, [`{"${column}":${value}}`, id])).rejects.toThrow();
    await expectStored(id, rex ?? {});
  });

  it(`can${isOptional ? '' : 'not'} be absent`, async () => {
    const { [name]: _absent, ...rest } = rex ?? {};
    expect((await create(rest)).status).toBe(isOptional ? 201 : 400);
  });
});

describe('the commands of docs/operations.md that copy pets', () => {
  const commands = [
    ...readFileSync('docs/operations.md', 'utf8').matchAll(/\\copy (.+?) (?:from|to) 'pets/g),
  ];
  const columns = MEMBER_NAMES.map((name) => PET_MEMBERS[name].column).join(', ');

  it('have every column that callers fill', () => {
    expect(commands.map(([, what]) => what)).toEqual([
      `pets (${columns})`,
      `(select id, ${columns} from pets order by id)`,
    ]);
  });
});
