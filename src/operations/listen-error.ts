/** A port that cannot be listened on, with the variables that set it. */
export class ListenError extends Error {
  override readonly name = 'ListenError';

  constructor(
    readonly portVariable: string,
    readonly hostVariable: string,
    cause: unknown,
  ) {
    super(`${portVariable} cannot be listened on`, { cause });
  }
}
