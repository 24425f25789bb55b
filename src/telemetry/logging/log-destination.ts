import { constants, readFileSync, write, writeSync } from 'node:fs';
import { maskKeys } from '../../common/mask-keys.js';

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
 * twice than never. No API key gets past it, whoever writes the line. (pino's own destination loses at the exit what another thread
 * is writing, and what a full pipe has refused.)
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

/**
 * How long what takes no more bytes (a pipe that is full) is asked again. A reader who is alive makes room within milliseconds,
 * and empties the whole of a log's memory in this time. For one who is not, no process stays that cannot serve any more: it
 * has to be started again, before its supervisor's patience ends.
 */
const FULL_MS = 1_000;

/** Between two times that it is asked: a pipe holds 64 KiB, so a megabyte takes 16 of them. */
const PAUSE_MS = 1;

const asleep = new Int32Array(new SharedArrayBuffer(4));

/** Holds up the whole process. For its exit, when nothing else can run any more. */
const pauseSync = (ms: number): void => void Atomics.wait(asleep, 0, 0, ms);

/**
 * Writes all bytes before it returns, or gives up when nobody takes them.
 * @throws what `writeSync` throws
 */
function writeAllSync(fd: number, bytes: Buffer): void {
  const giveUp = performance.now() + FULL_MS;
  let rest = bytes;
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (fault) {
      if (!isFull(fault) || performance.now() >= giveUp) throw fault;
      pauseSync(PAUSE_MS);
    }
  }
}

/**
 * Whether a write may take a part of the bytes, or none, rather than wait until it can take them all. Linux tells; elsewhere
 * it may be so.
 */
function mayRefuse(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & constants.O_NONBLOCK) !== 0;
  } catch {
    return true;
  }
}

const isFull = (fault: unknown): boolean =>
  typeof fault === 'object' && fault !== null && 'code' in fault && fault.code === 'EAGAIN';
