import { StacklessError } from '../errors/api-error.js';

/**
 * What a group's `send` throws when it failed after some of the questions were answered. These keep their answers, for what was
 * done for them is done; the others fare as if all had failed by the cause.
 */
export class PartlyAnswered<Answer> extends StacklessError {
  override readonly name = 'PartlyAnswered';

  /** @param answers one for each question, in their order, undefined where there is none */
  constructor(
    readonly answers: readonly (Answer | undefined)[],
    cause: unknown,
  ) {
    super('some questions were not answered', { cause });
  }
}
