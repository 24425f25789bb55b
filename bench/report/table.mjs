// The result as Markdown, which reads well in a terminal, too.
import { ratioOf, summarize, verdictOf } from './summary.mjs';

/** @param {any} result what `run.mjs` writes as JSON */
export function render(result) {
  const parts = [
    renderSurroundings(result),
    ...result.contests.map(renderContest),
    renderGoals(result),
    result.memory === undefined ? '' : renderMemory(result.memory),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Above it other programs take so much of a small machine that even ratios are wrong. */
const BUSY_LOAD = 0.7;

function renderSurroundings({ machine, postgres, fsync, load, sizes, options }) {
  const lines = [
    `- ${machine.processors}, ${machine.memoryGb} GB, ${machine.system}, Node.js ${machine.node}, PostgreSQL ${postgres.server_version}, load by ${load} on the same machine`,
    `- large database: ${sizeOf(sizes.large)}; small: ${sizeOf(sizes.small)}; 1,000 keys send requests`,
    `- rounds: ${options.rounds} of ${options.seconds} s, medians; fsync ${postgres.fsync}, synchronous_commit ${postgres.synchronous_commit}`,
    `- a commit's way to the disk: ${fsync.medianMs.toFixed(2)} ms (p99 ${fsync.p99Ms.toFixed(2)} ms)`,
  ];
  if (machine.loadBefore > BUSY_LOAD) {
    lines.push(
      `- **the machine was busy with something else (load ${machine.loadBefore.toFixed(1)}): these figures show little**`,
    );
  }
  if (fsync.inMemory)
    lines.push('- **the database lies in memory: the figures of new animals mean nothing here**');
  return lines.join('\n');
}

const sizeOf = ({ animals, keys }) => `${thousands(animals)} animals and ${thousands(keys)} keys`;

function renderContest({ title, contenders }) {
  const columns = contenders.some(hasVoid) ? COLUMNS.concat(VOID) : COLUMNS;
  const rows = contenders
    .map(summarize)
    .map((one) =>
      [nameOf(one, contenders)].concat(columns.map(({ cell }) => cell(one).replaceAll(/-?(?:NaN|∞)/g, '–'))),
    );
  return `### ${title}\n\n${grid([''].concat(columns.map(({ head }) => head)), rows)}`;
}

const COLUMNS = [
  { head: 'requests/s', cell: (one) => thousands(one.requestsPerSecond) },
  { head: 'least – most', cell: (one) => `${thousands(one.least)} – ${thousands(one.most)}` },
  { head: 'p50 ms', cell: (one) => one.p50Ms.toFixed(2) },
  { head: 'p99 ms', cell: (one) => one.p99Ms.toFixed(2) },
  { head: 'CPU µs', cell: (one) => one.cpuMicroseconds.toFixed(0) },
  { head: 'PostgreSQL µs', cell: (one) => one.postgresMicroseconds?.toFixed(0) ?? '–' },
  { head: 'statements', cell: (one) => one.statementsPerRequest.toFixed(2) },
  { head: 'MB', cell: (one) => (one.memoryBytes / 1e6).toFixed(0) },
];

/** Shown only where there is something to tell. */
const VOID = { head: '**void**', cell: (one) => String(one.voidRounds) };

const hasVoid = ({ rounds }) => rounds.some((round) => round.void);

function nameOf({ title, size, poolMax }, contenders) {
  const remarks = [];
  if (new Set(contenders.map((one) => one.size)).size > 1) remarks.push(`${size} database`);
  if (poolMax !== undefined) remarks.push(`${poolMax} connections`);
  return remarks.length === 0 ? title : `${title} (${remarks.join(', ')})`;
}

/** A short run is too short to judge by. */
function renderGoals({ goals, contests, options: { short } }) {
  const rows = [];
  for (const goal of goals) {
    const ratio = ratioOf(goal, contests);
    if (ratio === undefined) continue;
    rows.push([
      goal.work,
      goal.against,
      `**${ratio.median.toFixed(2)}**`,
      `${ratio.least.toFixed(2)} – ${ratio.most.toFixed(2)}`,
      `${goal.sense} ${goal.limit}`,
      String(goal.aim),
      ...(short
        ? []
        : [{ aim: 'aim', limit: 'reached', missed: '**missed**' }[verdictOf(goal, ratio.median)]]),
    ]);
  }
  if (rows.length === 0) return '';
  const heads = ['the service', 'against', 'ratio', 'of the rounds', 'goal', 'aim', ...(short ? [] : [''])];
  return `### Ratios\n\n${grid(heads, rows)}`;
}

function renderMemory({ seconds, requests, partsMb, maxMb }) {
  const parts = partsMb.map((megabytes) => megabytes.toFixed(0)).join(', ');
  return `### Memory\n\n${thousands(requests)} requests of all kinds in ${seconds} s: ${parts} MB in each fifth of the time, at most ${maxMb.toFixed(0)} MB.`;
}

function grid(heads, rows) {
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column])].map(width)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, column) => pad(cell, widths[column], isText(column, rows))).join(' | ')} |`;
  const rule = widths.map((count, column) =>
    isText(column, rows) ? '-'.repeat(count) : `${'-'.repeat(count - 1)}:`,
  );
  return [line(heads), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}

const isText = (column, rows) => !rows.every((row) => /^[*\d,.– ]+$/.test(row[column]));
const width = (text) => [...text].length;
const pad = (text, to, left) => {
  const space = ' '.repeat(to - width(text));
  return left ? text + space : space + text;
};

const thousands = (value) => Math.round(value).toLocaleString('en-US');
