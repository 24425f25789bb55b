import type { ImportedPet } from './read-pets.js';

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A name as the text format of COPY takes it. */
const escaped = (name: string): string =>
  SPECIAL.test(name) ? name.replaceAll(/[\\\t\n\r]/g, (special) => ESCAPES[special] ?? special) : name;

/** A row in the text format of COPY: name, category_id, status; before them, of an animal with an identifier, id and line. */
export const copyRow = (line: number, { id, name, categoryId, status }: ImportedPet): string =>
  `${id === undefined ? '' : `${id}\t${line}\t`}${escaped(name)}\t${categoryId}\t${status ?? '\\N'}\n`;
