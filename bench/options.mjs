// What can be set from the command line.
import { parseArgs } from 'node:util';

/** @typedef {{ animals: number, keys: number }} Size */

const FULL = { rounds: 5, seconds: 5, warmUpSeconds: 2 };
const FULL_SIZES = { large: { animals: 1_000_000, keys: 100_000 }, small: { animals: 10_000, keys: 1000 } };

/** For CI: under two minutes with everything, so it has one round and tries no pool sizes. */
const SHORT = { rounds: 1, seconds: 2, warmUpSeconds: 1 };
const SHORT_SIZES = { large: { animals: 100_000, keys: 10_000 }, small: { animals: 10_000, keys: 1000 } };

const MEMORY_SECONDS = 300;

/** @param {readonly string[]} args */
export function readOptions(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      short: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      readme: { type: 'boolean', default: false },
      only: { type: 'string' },
      against: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      load: { type: 'string' },
      'memory-seconds': { type: 'string' },
    },
  });
  const { short } = values;
  if (values.readme && (short || values.only !== undefined)) {
    throw new Error('--readme is for a whole run');
  }
  const defaults = short ? SHORT : FULL;
  return {
    short,
    memory: values.memory,
    readme: values.readme,
    memorySeconds: positive('memory-seconds', values['memory-seconds'], MEMORY_SECONDS),
    only: values.only?.split(','),
    /** The directory of another build of the service. */
    against: values.against,
    rounds: positive('rounds', values.rounds, defaults.rounds),
    seconds: positive('seconds', values.seconds, defaults.seconds),
    warmUpSeconds: defaults.warmUpSeconds,
    poolSizes: short ? [10] : [4, 10, 20],
    sizes: short ? SHORT_SIZES : FULL_SIZES,
    load: values.load,
  };
}

function positive(name, text, fallback) {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} must be a positive integer, not "${text}"`);
}
