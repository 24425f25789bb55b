import { DEFAULT_DATA_DIR } from '../database/embedded/data-directory.js';
import type { FirstStart } from './first-start.js';

export interface BannerFacts {
  readonly address: string;
  /** Where the management port listens. */
  readonly management: string;
  readonly hasDashboard: boolean;
  /** Absent when the database is not the embedded one. */
  readonly dataDir: string | undefined;
  /** Whether the CLI uses it when `DATA_DIR` is not set. */
  readonly isDefaultDataDir: boolean;
  /** The path of the program `petstore`. */
  readonly commandLine: string;
  /** Present at the first start with an embedded database. */
  readonly firstStart: FirstStart | undefined;
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
}

/** The output of a start at a terminal. */
export function banner(facts: BannerFacts): string {
  const { address, management, hasDashboard, dataDir, commandLine, firstStart } = facts;
  const lines = [
    '',
    `Pet Store Service: ${address}/v1`,
    `Documentation: ${address}/docs`,
    ...(hasDashboard ? [`Dashboard: ${management}/dashboard`] : []),
    `Health: ${management}/health/ready`,
    `Metrics: ${management}/metrics`,
  ];
  if (dataDir !== undefined) lines.push(`Database: embedded PostgreSQL in ${dataDir}${reasonOf(facts)}`);
  if (firstStart !== undefined) {
    lines.push(
      `Created a new database with ${firstStart.sampleCount} sample pets and an API key, shown only once:`,
      '',
      `  export PETSTORE_KEY=${firstStart.apiKey}`,
      '',
      'First request:',
      '',
      '  curl -w \'\\n\' -H "Authorization: Bearer $PETSTORE_KEY" \\',
      `    '${address}/v1/pets?limit=3'`,
      '',
    );
  } else if (dataDir !== undefined) {
    const environment = facts.isDefaultDataDir ? '' : `DATA_DIR=${shellWord(dataDir)} `;
    lines.push(
      'To issue an API key:',
      '',
      `  ${environment}node ${shellWord(commandLine)} keys issue --name 'My key' --plan pro`,
      '',
    );
  }
  if (facts.isTerminal) lines.push('Ctrl-C to stop.');
  return `${lines.join('\n')}\n`;
}

/** Why the data is not in the default directory although DATA_DIR is unset. */
const reasonOf = ({ dataDir, isDefaultDataDir }: BannerFacts): string =>
  isDefaultDataDir && dataDir !== DEFAULT_DATA_DIR
    ? ", because PostgreSQL's user cannot enter the project directory"
    : '';

/** A POSIX shell word, quoted if necessary. */
const shellWord = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
