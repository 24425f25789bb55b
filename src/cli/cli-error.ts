/** Why a command does not do what was asked: one line for a person, and what to do about it in another. */
export class CliError extends Error {
  override readonly name: string = 'CliError';

  constructor(
    message: string,
    readonly hint?: string,
  ) {
    super(message);
  }
}

/** The command line itself is at fault: nothing was tried. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
}
