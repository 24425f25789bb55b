import pg from 'pg';

const INT8_OID = 20;

/** int64 as bigint, exact; everything else as `pg` reads it. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((text: string) => unknown) =>
    oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format),
};
