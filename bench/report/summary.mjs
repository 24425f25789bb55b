// Medians of the rounds, and the ratios that the goals are about.
import { median } from '../measure/statistics.mjs';

/** The medians of a contender's valid rounds, with the least and the most requests a second. */
export function summarize({ name, title, size, poolMax, rounds }) {
  const valid = rounds.filter((round) => !round.void);
  const of = (figure) => median(valid.map((round) => round[figure]));
  const rates = valid.map((round) => round.requestsPerSecond);
  return {
    ...{ name, title, size, poolMax },
    requestsPerSecond: of('requestsPerSecond'),
    least: Math.min(...rates),
    most: Math.max(...rates),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    statementsPerRequest: of('statementsPerRequest'),
    cpuMicroseconds: of('cpuMicroseconds'),
    postgresMicroseconds: valid.some((round) => round.postgresMicroseconds === null)
      ? null
      : of('postgresMicroseconds'),
    memoryBytes: of('memoryBytes'),
    voidRounds: rounds.length - valid.length,
  };
}

/**
 * The ratio of a goal in each round, and their median: what disturbs a round disturbs both sides of its ratio.
 *
 * @param {import('../plan/goals.mjs').Goal} goal
 * @param {{ id: string, contenders: { name: string, rounds: import('../measure/round.mjs').Round[] }[] }[]} contests
 * @returns undefined when the contest or a contender was left out, or when no round is valid
 */
export function ratioOf({ contest, of, to, figure }, contests) {
  const contenders = contests.find(({ id }) => id === contest)?.contenders ?? [];
  const [one, other] = [of, to].map((wanted) => contenders.find(({ name }) => name === wanted));
  if (one === undefined || other === undefined) return undefined;
  const ratios = one.rounds
    .map((round, index) => [round, other.rounds[index]])
    .filter(([round, against]) => !round.void && !against.void)
    .map(([round, against]) => round[figure] / against[figure])
    // A time that the load program rounds to 0 ms has no ratio.
    .filter(Number.isFinite);
  if (ratios.length === 0) return undefined;
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** `aim`, `limit` or `missed`. */
export function verdictOf({ sense, limit, aim }, ratio) {
  const reaches = (bound) => (sense === 'at least' ? ratio >= bound : ratio <= bound);
  if (reaches(aim)) return 'aim';
  return reaches(limit) ? 'limit' : 'missed';
}
