import { pipeline } from 'node:stream/promises';
import { escapeLiteral } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { PetStatus } from '../../pets/pet.js';
import { PETS } from '../../pets/pets.sql.js';
import type { CliContext } from '../context.js';
import { count, showProgress } from '../progress.js';
import { withDatabase } from '../session.js';
import type { Format } from './file-rows.js';

export interface ExportCommandOptions {
  readonly format: Format;
  readonly status?: PetStatus;
}

const BYTES_PER_MB = 1_000_000;

/** `petstore pets export`. */
export async function exportCommand(
  context: CliContext,
  { format, status }: ExportCommandOptions,
): Promise<void> {
  const rows = await withDatabase(context, async ({ client }) => {
    await client.query('begin read only');
    // The timeouts of a role are for requests; a slow reader is no failure.
    await client.query('set local statement_timeout = 0');
    const where = status === undefined ? '' : `where status = ${escapeLiteral(status)}`;
    const copy = client.query(copyTo(copyStatements[format](where)));
    let bytes = 0;
    const progress = showProgress(context, () => `exporting ${count(Math.floor(bytes / BYTES_PER_MB))} MB`);
    const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    try {
      await pipeline(copy, counted, context.stdout, { end: false });
    } finally {
      progress.stop();
    }
    await client.query('commit');
    return copy.rowCount;
  });
  if (context.draw !== undefined) context.complain(`Exported ${count(rows)} animals.\n`);
}

const copyStatements: Readonly<Record<Format, (where: string) => string>> = {
  csv: (where) => `
    copy (
      select id, name, category_id as "categoryId", status
      from pets
      ${where}
      order by id)
    to stdout with (format csv, header)`,
  // The database writes the lines. Of the formats of COPY only CSV leaves them as they are, with a quote and a delimiter
  // that they cannot contain: JSON writes these characters as \u0001 and \u0002.
  ndjson: (where) => `
    copy (
      select ${PETS.json}
      from pets as item
      ${where}
      order by id)
    to stdout with (format csv, quote e'\\x01', delimiter e'\\x02')`,
};
