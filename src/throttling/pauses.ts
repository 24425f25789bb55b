/**
 * The pause before a refusal, more or less by half, well below the second that `Retry-After` asks for. A refusal costs the
 * process as much as an answer, and of six hundred connections that ask again at once it makes a thousand a second.
 */
export const PAUSE_MS = 500;

/**
 * The pauses before refusals that come too often: whoever asks again as soon as it is refused would take the time of all
 * others. Only so many at a time, past them a refusal comes at once: each holds a connection, perhaps one of a proxy.
 */
export class Pauses {
  #taken = 0;

  /** @param max how many at a time */
  constructor(private readonly max: number) {}

  /** Resolves after a pause; at once when there are too many. */
  async take(): Promise<void> {
    if (this.#taken >= this.max) return;
    this.#taken += 1;
    await new Promise((resume) => setTimeout(resume, PAUSE_MS * (0.5 + Math.random())));
    this.#taken -= 1;
  }
}
