// The connection between the engine and PostgreSQL: @prisma/adapter-pg, whose path for migrations has three faults
// that this file works around. They were found in 7.10.0; try without each of them when Prisma is updated.
import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { onDatabase, query } from './database-commands.mjs';

/** PostgreSQL's internal one-byte type "char", and text. */
const CHAR_OID = 18;
const TEXT_OID = 25;

/** The adapter as the engine expects it, for the database and the schema (`?schema=`) that the URL names. */
export function createAdapterFactory(url) {
  const factory = createFactory(url);
  factory.connectToShadowDb = () => connectToShadowDatabase(url);
  return bindMigrationAwareSqlAdapterFactory(factory);
}

function createFactory(url) {
  const schema = new URL(url).searchParams.get('schema') ?? undefined;
  const factory = new PrismaPg({ connectionString: url }, { schema });
  const connect = factory.connect.bind(factory);
  factory.connect = async () => describeCharColumns(sendScriptsWhole(await connect()));
  return factory;
}

/**
 * Fault 1: the adapter cuts a script at every semicolon, also inside function bodies, strings and comments.
 * Sent whole, it is one implicit transaction besides, as with the native engine.
 */
function sendScriptsWhole(adapter) {
  adapter.executeScript = async (script) => {
    try {
      await adapter.underlyingDriver().query(script);
    } catch (error) {
      adapter.onError(error);
    }
  };
  return adapter;
}

/**
 * Fault 2: the adapter refuses columns of PostgreSQL's internal type "char", and the engine, which selects some from
 * the catalogue, panics where it is given text instead (a check constraint is enough; from PostgreSQL 18 on any
 * `not null` is; github.com/prisma/orm/issues/29635). So the adapter converts them as text, and the engine is told
 * that they are characters.
 */
function describeCharColumns(adapter) {
  const { queryRaw } = adapter;
  adapter.queryRaw = async (question) => {
    const answer = await adapter.performIO(question);
    const isChar = answer.fields.map((field) => field.dataTypeID === CHAR_OID);
    for (const field of answer.fields) {
      if (field.dataTypeID === CHAR_OID) field.dataTypeID = TEXT_OID;
    }
    const result = await queryRaw.call({ performIO: async () => answer }, question);
    result.columnTypes = result.columnTypes.map((type, index) =>
      isChar[index] ? ColumnTypeEnum.Character : type,
    );
    return result;
  };
  return adapter;
}

/**
 * Fault 3: the adapter's own shadow connection stays on the main database when that was given by a URL, and it drops
 * the shadow database while its own pool is still connected to it, which PostgreSQL refuses.
 */
async function connectToShadowDatabase(url) {
  const database = `prisma_migrate_shadow_db_${randomUUID()}`;
  await query(url, `create database ${pg.escapeIdentifier(database)}`);
  const adapter = await createFactory(onDatabase(url, database)).connect();
  const closePool = adapter.dispose.bind(adapter);
  adapter.dispose = async () => {
    await closePool();
    await query(url, `drop database if exists ${pg.escapeIdentifier(database)} with (force)`);
  };
  return adapter;
}
