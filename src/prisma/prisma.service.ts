import { Injectable } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import type { PoolClient } from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import type { ConnectionPools } from './connection-pools.js';
import { type Statement, statementOf } from './statement.js';

/** What repositories run their SQL through. */
@Injectable()
export class PrismaService extends PrismaClient {
  constructor(readonly connections: ConnectionPools) {
    super({
      // Else each query looks where it was called from, and a message quotes that place.
      errorFormat: 'minimal',
      adapter: new PrismaPg(connections.reads, {
        // Without a name a statement is parsed and planned each time, as those of the typed client are.
        statementNameGenerator: ({ sql }) =>
          connections.namedStatements ? (statementOf(sql)?.name ?? '') : '',
      }),
    });
  }

  /**
   * Runs a declared statement that writes nothing. Rows are objects by column name, int64 is bigint.
   *
   * @throws what `classifyDatabaseError` understands, as the others do
   */
  read<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.$queryRawUnsafe<Row[]>(statement.text, ...values);
  }

  /**
   * The same for a statement that writes.
   *
   * @param sendBefore a moment of `performance.now()`: without a connection by then the statement is not sent
   * @throws NotSentError then
   */
  write<Row extends object>(
    statement: Statement,
    values: readonly unknown[],
    sendBefore = Infinity,
  ): Promise<Row[]> {
    return this.connections.onWriteConnection(sendBefore, (connection) =>
      this.#readOn(connection, statement, values),
    );
  }

  #readOn<Row extends object>(
    connection: PoolClient,
    { text }: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return this.connections.naming(connection, (name) => this.$queryRawUnsafe<Row[]>(text, ...values, name));
  }

  /** What is under way has the time of a statement to end. */
  async close(): Promise<void> {
    await this.$disconnect();
    await this.connections.close();
  }
}
