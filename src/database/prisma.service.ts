import { Injectable } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.js';
import type { ConnectionPools } from './connection-pools.js';
import { type Statement, statementOf } from './statement.js';

/** Repositories run their SQL through it: declared statements, or the typed client for rare queries. */
@Injectable()
export class PrismaService extends PrismaClient {
  constructor(readonly pools: ConnectionPools) {
    super({
      // Else each query captures its call site, and error messages quote it.
      errorFormat: 'minimal',
      adapter: new PrismaPg(pools.main, {
        // Without a name a statement is parsed and planned each time, as those of the typed client are.
        statementNameGenerator: ({ sql }) => (pools.namedStatements ? (statementOf(sql)?.name ?? '') : ''),
      }),
    });
  }

  /**
   * Runs a declared read-only statement, for a batcher, which has a permit. Rows are objects by column name, int64 is bigint.
   *
   * @throws what `classifyDatabaseError` understands
   */
  read<Row extends object>({ text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    return this.$queryRawUnsafe<Row[]>(text, ...values);
  }

  /**
   * The same for a statement that writes.
   *
   * @param sendBefore a `performance.now()` time: the statement is sent by then or not at all
   * @throws NotSentError without a connection by then
   */
  write<Row extends object>(
    { text }: Statement,
    values: readonly unknown[],
    sendBefore = Infinity,
  ): Promise<Row[]> {
    return this.pools.main.sendBefore(sendBefore, () => this.$queryRawUnsafe<Row[]>(text, ...values));
  }

  /** Statements in flight may run until their time-out. */
  async close(): Promise<void> {
    await this.$disconnect();
    await this.pools.close();
  }
}
