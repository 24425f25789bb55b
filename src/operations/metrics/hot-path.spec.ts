import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Counter, Histogram, Registry } from 'prom-client';
import { Counts } from './count.js';
import { Distributions } from './distribution.js';

const BOUNDS = [0.001, 0.01, 0.1, 1];
const ABOUT = { name: 'seconds', help: 'How long it took.' };
const COUNTED = { name: 'things_total', help: 'What was counted.' };

const observation = fc.record({
  group: fc.constantFrom('one', 'two "quoted"', 'three\\'),
  value: fc.oneof(fc.constantFrom(...BOUNDS, 0), fc.double({ min: 0, max: 5, noNaN: true })),
});

describe('what is counted on the hot path', () => {
  it('is told as prom-client tells its own histograms', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(observation, { minLength: 1 }), async (observations) => {
        const [ours, theirs] = [new Registry(), new Registry()];
        const distributions = new Distributions(ours, { ...ABOUT, label: 'group', bounds: BOUNDS });
        const histogram = new Histogram({
          ...ABOUT,
          labelNames: ['group'],
          buckets: BOUNDS,
          registers: [theirs],
        });
        for (const { group, value } of observations) {
          distributions.of(group).observe(value);
          histogram.observe({ group }, value);
        }
        expect(lines(await ours.metrics())).toEqual(lines(await theirs.metrics()));
      }),
    );
  });

  it('is told as prom-client tells its own counters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(observation, { minLength: 1 }), async (observations) => {
        const [ours, theirs] = [new Registry(), new Registry()];
        const counts = new Counts(ours, COUNTED.name, COUNTED.help, ['group', 'value']);
        const counter = new Counter({ ...COUNTED, labelNames: ['group', 'value'], registers: [theirs] });
        for (const { group, value } of observations) {
          const labels = { group, value: String(value) };
          counts.of(labels).value += 1;
          counter.inc(labels);
        }
        expect(lines(await ours.metrics())).toEqual(lines(await theirs.metrics()));
      }),
    );
  });

  it('stays counted, however often it is asked for', async () => {
    const registry = new Registry();
    new Counts(registry, COUNTED.name, COUNTED.help, []).of({}).value += 3;
    expect(await registry.metrics()).toBe(await registry.metrics());
    expect(await registry.metrics()).toContain('things_total 3');
  });
});

/** The order of labels and of series says nothing. */
const lines = (exposition: string): string[] =>
  exposition
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`))
    .sort();
