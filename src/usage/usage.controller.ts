import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type CallingKey, CurrentKey } from '../auth/current-key.decorator.js';
import { Clock } from '../auth/admission/clock.js';
import type { LimitWindow } from '../auth/admission/decision.js';
import type { PerWindow } from '../auth/admission/windows.js';
import { Operation } from '../http/operation.decorators.js';
import { RequestDeadline } from '../http/request.js';
import { Usage, USAGE_EXAMPLE, type UsageWindow } from './usage.dto.js';
import { UsageRepository } from './usage.repository.js';

@ApiTags('Usage')
@Controller('v1/usage')
export class UsageController {
  constructor(
    private readonly usage: UsageRepository,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    summary: 'Get usage',
    description:
      'Returns the plan and limits of the API key of the request, the current minute, day and, if it has a limit for that, month with this request counted, and ' +
      'the requests of each of the last 31 UTC days, and of each of the last 24 hours by operation and outcome.',
  })
  @ApiOkResponse({ type: Usage, description: 'The usage of the API key.', example: USAGE_EXAMPLE })
  async getUsage(@CurrentKey() key: CallingKey, @RequestDeadline() deadline: number): Promise<Usage> {
    const { keyId, planId: plan } = key;
    const query = { keyId, now: new Date(this.clock.nowMs()) };
    const [days, hours] = await Promise.all([
      this.usage.days(query, deadline),
      this.usage.hours(query, deadline),
    ]);
    return { plan, ...windowsOf(key), days, hours };
  }
}

const windowsOf = ({ windows }: CallingKey): PerWindow<UsageWindow> =>
  Object.fromEntries(windows.map((window) => [window.policy, toUsage(window)])) as PerWindow<UsageWindow>;

const toUsage = ({ limit, remaining, resetAtMs }: LimitWindow): UsageWindow => ({
  limit,
  remaining,
  resetsAt: new Date(resetAtMs),
});
