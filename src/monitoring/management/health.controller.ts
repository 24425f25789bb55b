import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { UnavailableError } from '../../errors/database-errors.js';
import { Probe } from '../../auth/route-config.js';
import { Readiness } from './readiness.js';

/** For platforms whose load balancer reaches only the public port. It reports only whether this replica should get requests. */
@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('health')
  @Probe()
  @Header('cache-control', 'no-store')
  readHealth(): { readonly status: 'ready' } {
    if (!this.readiness.lastKnownReady) throw new UnavailableError('database', 'not ready');
    return { status: 'ready' };
  }
}
