import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import type { Logger } from 'pino';
import { Batching } from '../batching/batching.js';
import { CONFIG, LOGGER } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { Clock } from './admission/clock.js';
import { AdmissionPort } from './admission/decision.js';
import { PrismaService } from '../database/prisma.service.js';
import { AddressLimiter } from './admission/address-limiter.js';
import { Admission } from './admission/admission.js';
import { ADMISSION_OBSERVER, type AdmissionObserver } from './admission/admission-statement.js';
import { batchAdmissions } from './admission/batch-admissions.js';
import { DatabaseClock } from './admission/database-clock.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { PLAN_THROTTLERS, PlanThrottlerGuard } from './plan-throttler.guard.js';
import { RecentSecrets } from './admission/recent-secrets.js';

/** Addresses that are counted apart in a minute: 7 MB with IPv4 and 17 with IPv6, and far more than a replica can serve with 401s. */
const ADDRESSES_MAX = 100_000;

/** The docs page is twenty requests. Without a limit one address could have 200 KB sent without end. */
const DOCUMENTS_PER_MINUTE = 300;

/** Ten a second, for a whole minute: a program with a wrong key is not rejected so often past its limit. */
const FLOOD_AFTER = 600;

/** Keys of one address past its limit that are looked up at the same time, and of all such addresses: eight statements. */
const LOOKUPS_MAX = 32;
const ALL_LOOKUPS_MAX = 256;

/** Some 4 MB. */
const RECENT_SECRETS = { max: 10_000, forMs: 5 * 60_000 };

/** Admission, which decides about every request, and the guards that enforce its decisions. */
@Global()
@Module({
  imports: [ThrottlerModule.forRoot(PLAN_THROTTLERS)],
  providers: [
    { provide: DatabaseClock, inject: [PrismaService], useFactory: startClock },
    { provide: Clock, useExisting: DatabaseClock },
    {
      provide: Admission,
      inject: [Batching, PrismaService, CONFIG, LOGGER, Clock, DatabaseClock, ADMISSION_OBSERVER],
      useFactory: createAdmission,
    },
    { provide: AdmissionPort, useExisting: Admission },
    ApiKeyGuard,
    PlanThrottlerGuard,
  ],
  exports: [Clock, AdmissionPort, ApiKeyGuard, PlanThrottlerGuard],
})
export class AuthModule {
  /** @param observer a provider of a global module */
  static observedBy(observer: Type<AdmissionObserver>): DynamicModule {
    return { module: AuthModule, providers: [{ provide: ADMISSION_OBSERVER, useExisting: observer }] };
  }
}

/** Reads the database's time before the first response; if the database is away, the first decision does. */
export async function startClock({ pools }: Pick<PrismaService, 'pools'>): Promise<DatabaseClock> {
  const clock = new DatabaseClock(() => performance.now(), Date.now);
  const { rows } = await pools.main
    .query<{ nowMs: number }>('select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs"')
    .catch(() => ({ rows: [] }));
  for (const { nowMs } of rows) clock.observe(nowMs);
  return clock;
}

function createAddressLimiter(limitPerMinute: number): AddressLimiter {
  return new AddressLimiter({
    limitPerMinute,
    floodAfter: FLOOD_AFTER,
    addressesMax: ADDRESSES_MAX,
    lookupsMax: LOOKUPS_MAX,
    allLookupsMax: ALL_LOOKUPS_MAX,
  });
}

function createAdmission(
  batching: Batching,
  prisma: PrismaService,
  { limits }: Config,
  logger: Logger,
  clock: Clock,
  databaseClock: DatabaseClock,
  observer: AdmissionObserver,
): Admission {
  const { admission, main, reads } = prisma.pools;
  const common = {
    batching,
    prisma,
    bans: limits,
    warn: (message: string) => logger.warn(message),
    observer,
    // A test's clock goes for the statement as well.
    now: clock === databaseClock ? undefined : () => new Date(clock.nowMs()),
  };
  return new Admission({
    keys: batchAdmissions({ ...common, name: 'admission', pool: admission }),
    lowPriorityKeys: batchAdmissions({
      ...common,
      name: 'low_priority_admission',
      pool: main,
      permits: reads,
    }),
    recent: new RecentSecrets(RECENT_SECRETS),
    addresses: createAddressLimiter(limits.addressLimitPerMinute),
    documents: createAddressLimiter(DOCUMENTS_PER_MINUTE),
    clock,
    databaseClock,
  });
}
