import pg from 'pg';

const { INT8, DATE, TIMESTAMPTZ } = pg.types.builtins;

const parseInstant: (text: string) => unknown = pg.types.getTypeParser(TIMESTAMPTZ);

function instant(text: string): string {
  const value = parseInstant(text);
  return value instanceof Date ? value.toISOString() : text;
}

const parsers: ReadonlyMap<number, (text: string) => unknown> = new Map<number, (text: string) => unknown>([
  [INT8, BigInt],
  [DATE, String],
  [TIMESTAMPTZ, instant],
]);

/** Values as scripts want them: int64 exact, days as days, instants as RFC 3339 in UTC (or `infinity`). */
export const exactTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format),
};
