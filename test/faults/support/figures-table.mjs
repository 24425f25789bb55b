// A reporter of Jest: prints, when all specs have run, what they measured, as the table of docs/reliability.md.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const HEAD = `
| Fault | Requests | Wrong or lost | Healed after | Also measured |
| --- | ---: | ---: | ---: | --- |
`;

export default class FiguresTable {
  constructor() {
    this.file = join(mkdtempSync(join(tmpdir(), 'petstore-figures-')), 'figures.jsonl');
    process.env.FAULT_FIGURES = this.file;
  }

  onRunComplete() {
    const rows = read(this.file).map((line) => row(JSON.parse(line)));
    rmSync(dirname(this.file), { recursive: true });
    process.stdout.write(`${HEAD}${rows.join('\n')}\n`);
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}

function row({ fault, requests, wrong, lost, healMs, also = '' }) {
  const healed = healMs === undefined ? '' : `${Math.round(healMs)} ms`;
  return `| ${[fault, requests, wrong + lost, healed, also].join(' | ')} |`;
}
