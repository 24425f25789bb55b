import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/prisma/client.js';

/**
 * Runs work on one connection of its own that has no time-outs of the service. For work that no request waits for: on a slow
 * machine a commit may outlast them, and then the caller would not know what it wrote.
 */
export async function withPrismaWithoutTimeouts<Result>(
  url: string,
  work: (prisma: PrismaClient) => Promise<Result>,
): Promise<Result> {
  const prisma = new PrismaClient({
    adapter: new PrismaPg({ connectionString: url, max: 1, application_name: 'petstore' }),
  });
  try {
    return await work(prisma);
  } finally {
    await prisma.$disconnect();
  }
}
