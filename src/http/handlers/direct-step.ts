import type { ExecutionContext } from '@nestjs/common';

/** A guard or an interceptor that only acts before the handler, and at once: it may refuse by throwing. */
export interface DirectStep {
  /** All that it does. */
  beforeHandler(context: ExecutionContext): void;
}

export const isDirect = <Step extends object>(step: Step): step is Step & DirectStep =>
  'beforeHandler' in step;
