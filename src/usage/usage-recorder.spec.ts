import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { BrokenConnectionError, UnavailableError } from '../errors/database-errors.js';
import type { PrismaService } from '../database/prisma.service.js';
import { UsageRecorder } from './usage-recorder.js';

const RESET_MS = Date.UTC(2026, 10, 20, 12, 1);
const known = Object.assign(new Error('the statement was ended'), { code: '57014', severity: 'ERROR' });
const unknown = new BrokenConnectionError('Connection terminated unexpectedly');

let sent: unknown[][];
let failures: Error[];
let fails: (values: unknown[]) => Error | undefined;
let warnings: unknown[];
let registry: Registry;
let recorder: UsageRecorder;
let outages: { from: number; until: number }[];

beforeEach(() => {
  sent = [];
  failures = [];
  fails = () => undefined;
  warnings = [];
  outages = [];
  registry = new Registry();
  const prisma = {
    pools: {
      writes: { run: (send: () => Promise<unknown>) => send() },
      state: { takeOutages: () => outages.splice(0) },
    },
    write: (_statement: unknown, values: unknown[]) => {
      const failure = failures.shift() ?? fails(values);
      if (failure !== undefined) return Promise.reject(failure);
      sent.push(values);
      return Promise.resolve([]);
    },
  } as unknown as PrismaService;
  recorder = new UsageRecorder(
    prisma,
    { nowMs: () => RESET_MS },
    { warn: (...warning: unknown[]) => void warnings.push(warning) },
    registry,
  );
});

function respond(keyId: bigint, statusCode = 200, decided: object = {}): void {
  const windows = [{ policy: 'minute', resetAtMs: RESET_MS }];
  const decision = { caller: { keyId, planId: 'pro' }, windows, ...decided };
  const request = { decision, routeConfig: { operation: 'listPets' } } as unknown as FastifyRequest;
  recorder.responded(request, { statusCode, elapsedTime: 1.4 } as FastifyReply);
}

/** Key ids and their requests, of all that was sent. */
const written = (): unknown[] => sent.map(([, keyIds, , , requests]) => [keyIds, requests]);

const dropped = async (): Promise<number> =>
  Number(/^petstore_usage_dropped_requests_total (\d+)$/m.exec(await registry.metrics())?.[1]);

const isOutage = ([name]: unknown[]): boolean => typeof name === 'string';

const unwritten = async (): Promise<unknown> =>
  /^petstore_usage_unwritten_seconds (\S+)$/m.exec(await registry.metrics())?.[1];

const keysOf = (values: unknown): string[] => String(values).slice(1, -1).split(',');

describe('UsageRecorder', () => {
  it('writes what was counted once, and nothing when nothing was', async () => {
    respond(7n);
    respond(7n);
    respond(8n);
    await recorder.write();
    await recorder.write();
    expect(written()).toEqual([['{7,8}', '{2,1}']]);
    expect(sent[0]?.[0]).toEqual(['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:00.000Z']);
    // The sum is rounded, not each request.
    expect(sent[0]?.[5]).toBe('{3,1}');
  });

  it('retries what is known to have failed, with counts added since', async () => {
    failures = [known, known];
    respond(7n);
    await recorder.write();
    respond(7n);
    await recorder.write();
    await recorder.write();
    expect([written(), await dropped()]).toEqual([[['{7}', '{2}']], 0]);
    expect(warnings).toHaveLength(1);
  });

  it.each([
    ['a lost connection', unknown],
    ['an unexpected error', new Error('odd')],
  ])('does not write again what may have been written: %s', async (_what, failure) => {
    respond(7n);
    failures = [failure];
    await recorder.write();
    await recorder.write();
    expect([written(), await dropped()]).toEqual([[], 1]);
  });

  it('does not retry what may have been written, and reports it as missing', async () => {
    failures = [unknown];
    respond(7n);
    respond(7n);
    await recorder.write();
    respond(8n);
    await recorder.write();
    expect([written(), await dropped()]).toEqual([[['{8}', '{1}']], 2]);
    expect(warnings).toContainEqual([
      expect.stringMatching(/^2 requests are missing in the usage by hour: /),
    ]);
  });

  it('drops only the invalid row', async () => {
    const wrong = Object.assign(new Error('check constraint'), { code: '23514', severity: 'ERROR' });
    fails = ([, keyIds]) => (keysOf(keyIds).includes('77') ? wrong : undefined);
    for (let keyId = 1; keyId <= 500; keyId += 1) respond(BigInt(keyId));
    await recorder.write();
    const keys = sent.flatMap(([, keyIds]) => keysOf(keyIds));
    expect([keys.length, new Set(keys).size, keys.includes('77'), await dropped()]).toEqual([
      499,
      499,
      false,
      1,
    ]);
    // Two statements, and the rows of the third one by one.
    expect(sent).toHaveLength(2 + 199);
    expect(warnings).toHaveLength(2);
  });

  it('splits at most ten chunks with invalid rows row by row, and drops the rest', async () => {
    let statements = 0;
    fails = () => {
      statements += 1;
      return Object.assign(new Error('check constraint'), { code: '23514', severity: 'ERROR' });
    };
    for (let keyId = 1; keyId <= 12 * 200; keyId += 1) respond(BigInt(keyId));
    await recorder.write();
    expect([statements, await dropped()]).toEqual([10 * (1 + 200) + 2, 12 * 200]);
  });

  it('writes many keys in several statements, and drops only the one that may have been written', async () => {
    for (let keyId = 1; keyId <= 500; keyId += 1) respond(BigInt(keyId));
    failures = [unknown];
    await recorder.write();
    expect([sent.length, await dropped()]).toEqual([0, 200]);
    respond(501n);
    await recorder.write();
    expect(sent.map(([hours]) => (hours as unknown[]).length)).toEqual([200, 101]);
  });

  it('continues if outages cannot be written, warns once, and writes them once they can be', async () => {
    const rejected = Object.assign(new Error('permission denied'), { code: '42501', severity: 'ERROR' });
    fails = (values) => (isOutage(values) ? rejected : undefined);
    for (const count of [1, 2, 3]) {
      outages.push({ from: count * 10_000, until: count * 10_000 + 5000 });
      respond(7n);
      await recorder.write();
    }
    expect([written(), warnings.length]).toEqual([[1, 2, 3].map(() => ['{7}', '{1}']), 1]);
    expect(recorder.problems()).toHaveLength(1);
    fails = () => undefined;
    await recorder.write();
    expect(sent.find(isOutage)?.[1]).toHaveLength(3);
    expect(recorder.problems()).toEqual([]);
  });

  it('reports since when nothing was written, due to failure or a hanging statement', async () => {
    let ms = 0;
    const now = jest.spyOn(performance, 'now').mockImplementation(() => ms);
    await recorder.write();
    ms = 40_000;
    failures = [known];
    respond(7n);
    await recorder.write();
    expect([await unwritten(), recorder.problems()]).toEqual([
      '40',
      ['The usage by hour cannot be written: see the log.'],
    ]);
    await recorder.write();
    expect([await unwritten(), recorder.problems()]).toEqual(['0', []]);
    ms += 29_999;
    expect(recorder.problems()).toEqual([]);
    ms += 1;
    expect([await unwritten(), recorder.problems()]).toEqual([
      '30',
      ['A write of the usage by hour has been waiting for 30 s.'],
    ]);
    now.mockRestore();
  });

  it('loses nothing if the pool is exhausted', async () => {
    failures = [new UnavailableError('overloaded', 'too many statements wait for a connection')];
    respond(7n);
    await recorder.write();
    await recorder.write();
    expect([written(), await dropped()]).toEqual([[['{7}', '{1}']], 0]);
  });

  it('bounds its memory: overflow is missing, and known rows still count', async () => {
    for (let keyId = 1; keyId <= 100_010; keyId += 1) respond(BigInt(keyId));
    respond(1n);
    await recorder.write();
    expect(await dropped()).toBe(10);
    expect(written()[0]).toEqual([expect.stringMatching(/^\{1,2,/), expect.stringMatching(/^\{2,1,/)]);
  });

  it('needs no more memory for the same counts, however often writing fails', async () => {
    failures = [known, known];
    for (let times = 0; times < 3; times += 1) {
      for (let keyId = 1; keyId <= 40_000; keyId += 1) respond(BigInt(keyId));
      await recorder.write();
    }
    expect([sent.length, await dropped()]).toEqual([200, 0]);
    expect(written()[0]).toEqual([expect.any(String), expect.stringMatching(/^\{3,3,/)]);
  });

  it('writes the rest when it is closed, and then drops what failed', async () => {
    respond(7n);
    await recorder.close();
    expect(written()).toEqual([['{7}', '{1}']]);
    failures = [known];
    respond(7n);
    await recorder.close();
    expect(await dropped()).toBe(1);
  });
});
