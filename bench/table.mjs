// The result as Markdown, which reads well in a terminal, too.
import { median } from './measure.mjs';

/**
 * @param contests with their contenders and rounds; the first contender is the service
 * @param {readonly string[]} facts about the machine and the run
 */
export const render = (contests, facts) => {
  const heads = ['', ...Object.keys(COLUMNS), 'the service is'];
  const rows = contests.flatMap((contest) => [
    [`**${contest.title}**`, ...heads.slice(1).map(() => '')],
    ...rowsOf(contest),
  ]);
  const table = grid([heads, ['---', ...heads.slice(1).map(() => '--:')], ...rows]);
  return `${facts.map((fact) => `- ${fact}`).join('\n')}\n\n${table}\n`;
};

const COLUMNS = {
  'requests/s': (of) => thousands(of('requestsPerSecond')),
  'p50 ms': (of) => of('p50Ms').toFixed(2),
  'p99 ms': (of) => of('p99Ms').toFixed(2),
  'CPU µs': (of) => of('cpuMicroseconds').toFixed(0),
  'PostgreSQL µs': (of) => of('postgresMicroseconds').toFixed(0),
  MB: (of) => (of('memoryBytes') / 1e6).toFixed(0),
};

function rowsOf({ contenders }) {
  const [service] = contenders;
  return contenders.map((contender) => {
    const valid = contender.rounds.filter(({ isValid }) => isValid);
    const of = (figure) => median(valid.map((round) => round[figure]));
    const cells = Object.values(COLUMNS).map((cell) => (valid.length === 0 ? '–' : cell(of)));
    return [nameOf(contender), ...cells, contender === service ? '' : ratioOf(service, contender)];
  });
}

/** The ratio per round: noise in a round affects both. */
function ratioOf({ rounds }, other) {
  const ratios = rounds
    .map((round, index) => [round, other.rounds[index]])
    .filter(([one, another]) => one.isValid && another.isValid)
    .map(([one, another]) => one.requestsPerSecond / another.requestsPerSecond);
  if (ratios.length === 0) return '–';
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  return `**${median(ratios).toFixed(2)} ×** (${least.toFixed(2)} – ${most.toFixed(2)})`;
}

function nameOf({ title, poolMax, rounds }) {
  const invalid = rounds.filter(({ isValid }) => !isValid).length;
  const pool = poolMax === undefined ? '' : ` (${poolMax} connections)`;
  return `${title}${pool}${invalid === 0 ? '' : `, ${invalid} rounds invalid`}`;
}

export const grid = (rows) => rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const thousands = (value) => Math.round(value).toLocaleString('en-US');
