import { extname } from 'node:path';
import { UsageError } from '../cli-error.js';

export const FORMATS = ['ndjson', 'csv'] as const;

export type Format = (typeof FORMATS)[number];

/** @throws UsageError when the name of the file does not tell */
export function formatOf(file: string): Format {
  switch (extname(file).toLowerCase()) {
    case '.ndjson':
    case '.jsonl':
      return 'ndjson';
    case '.csv':
      return 'csv';
    default:
      throw new UsageError(
        `The name ${file} does not tell the format.`,
        'Give --format ndjson or --format csv.',
      );
  }
}
