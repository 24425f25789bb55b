import { Injectable } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../src/generated/prisma/client.js';

@Injectable()
export class PrismaService extends PrismaClient {
  constructor() {
    super({
      adapter: new PrismaPg({
        connectionString: String(process.env['DATABASE_URL']),
        max: Number(process.env['BENCH_POOL_MAX']),
      }),
    });
  }
}
