import { write } from 'node:fs';
import { maskKeys } from '../../http/mask-keys.js';
import { mayRefuse, pauseSync, writeAllSync } from './write-all-sync.js';

export interface LogDestinationOptions {
  /** The file descriptor: 2 is standard error. */
  readonly fd: number;
  /** What waits at most, in characters; past it lines are dropped, and it is told how many. */
  readonly waitingMax?: number;
}

/** Written at once when so much is there: a thousandth of a second of lines at full load, and few system calls. */
const CHUNK = 65_536;

/** How long a line waits for others: nobody who watches notices, and one write serves hundreds of requests. */
const WAIT_MS = 50;

/** Five seconds of lines at full load. Then it is better to serve without a log than to run out of memory. */
const WAITING_MAX = 33_554_432;

/** What takes no more bytes right now (a pipe that is full) is asked again after this time. */
const RETRY_MS = 20;

const NOTHING = Buffer.alloc(0);
const LINE_END = Buffer.from('\n');

/**
 * Where log lines go. Writing never waits for whoever reads them: lines are gathered and written by another thread, what
 * cannot be written waits in bounded memory, and at the exit, also after a crash, the rest is written at once: a line rather
 * twice than never. No API key gets past it, whoever writes the line.
 */
export class LogDestination {
  readonly #fd: number;
  readonly #waitingMax: number;
  #text = '';
  #isWriting = false;
  /** What was taken of the text and, as far as was told, is not out. */
  #unwritten: Buffer = NOTHING;
  /** Whether another thread writes now: how much of `#unwritten` is out, only its answer tells. */
  #isUnderWay = false;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #written: (() => void)[] = [];

  constructor({ fd, waitingMax = WAITING_MAX }: LogDestinationOptions) {
    this.#fd = fd;
    this.#waitingMax = waitingMax;
  }

  /** @param line with its line end */
  write(line: string): void {
    if (this.#text.length > this.#waitingMax) {
      this.#dropped += 1;
      return;
    }
    this.#text += line;
    this.#writeSoon();
  }

  /** Resolves when everything that was written until now is out, or cannot be. */
  async flush(): Promise<void> {
    if (this.#text === '' && !this.#isWriting) return;
    const done = new Promise<void>((resolve) => this.#written.push(resolve));
    this.#writeOut();
    await done;
  }

  /** For the exit of the process, when nothing else can run any more. */
  flushSync(): void {
    try {
      writeAllSync(this.#fd, Buffer.concat([this.#takeUnwritten(), Buffer.from(this.#take())]));
    } catch {
      // Nobody reads: there is nobody to tell, either.
    }
  }

  /** What of the unwritten bytes is left to be written at the exit. */
  #takeUnwritten(): Buffer {
    // The process does not end before its threads: what is under way is written whole where writing waits.
    if (this.#isUnderWay && !mayRefuse(this.#fd)) return NOTHING;
    const bytes = this.#unwritten;
    this.#unwritten = NOTHING;
    if (!this.#isUnderWay) return bytes;
    // Any part of them may be out, and nothing will tell which. So all come (again), once the other thread is through: else its
    // part could end up among them; and on a new line, because its part may end within one.
    pauseSync(RETRY_MS);
    return Buffer.concat([LINE_END, bytes]);
  }

  #writeSoon(): void {
    if (this.#text.length >= CHUNK) this.#writeOut();
    else if (this.#timer === undefined) this.#timer = setTimeout(this.#onTimer, WAIT_MS).unref();
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    this.#writeOut();
  };

  #writeOut(): void {
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.#unwritten = Buffer.from(this.#take());
    this.#writeUnwritten();
  }

  readonly #writeUnwritten = (): void => {
    this.#isUnderWay = true;
    write(this.#fd, this.#unwritten, (error, written) => {
      this.#isUnderWay = false;
      if (error?.code === 'EAGAIN') {
        setTimeout(this.#writeUnwritten, RETRY_MS);
        return;
      }
      this.#unwritten = error === null ? this.#unwritten.subarray(written) : NOTHING;
      if (this.#unwritten.length > 0) {
        this.#writeUnwritten();
      } else {
        this.#isWriting = false;
        this.#goOn();
      }
    });
  };

  #goOn(): void {
    if (this.#text === '') for (const resolve of this.#written.splice(0)) resolve();
    else if (this.#written.length > 0) this.#writeOut();
    else this.#writeSoon();
  }

  #take(): string {
    // All at once: line by line it would take a fifth of all that a line costs.
    const text = maskKeys(this.#text);
    this.#text = '';
    if (this.#dropped === 0) return text;
    const told = {
      level: 40,
      time: new Date().toISOString(),
      msg: `${this.#dropped} log lines were dropped`,
    };
    this.#dropped = 0;
    return `${text}${JSON.stringify(told)}\n`;
  }
}
