import { connect } from 'node:net';

/** An answer as it came over the wire: header names in lower case, each with all its values. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
}

/** A deadline for bytes that never come: far beyond any response that is on its way, also on a busy machine. */
const TIMEOUT_MS = 60_000;

/**
 * Sends bytes as they are and reads until the server closes the connection or `answers` whole answers are there.
 * `later` follows when the first bytes have been sent, for what breaks off in the middle.
 */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  { answers = 1, isHead = false }: { readonly answers?: number; readonly isHead?: boolean } = {},
): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parseAnswers(Buffer.concat(chunks), isHead));
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no whole answer in time, only: ${Buffer.concat(chunks).toString('latin1')}`));
    }, TIMEOUT_MS);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (parseAnswers(Buffer.concat(chunks), isHead).length >= answers) finish();
    });
    socket.on('close', finish);
    socket.on('error', () => undefined);
  });
}

/** One answer, or a clear failure. */
export async function sendRawOnce(
  port: number,
  bytes: string | Buffer,
  options: { readonly isHead?: boolean } = {},
): Promise<RawAnswer> {
  const [answer] = await sendRaw(port, bytes, options);
  if (answer === undefined) throw new Error('the server closed the connection without an answer');
  return answer;
}

/** The whole answers at the start of what came; an unfinished one at the end is left out. */
function parseAnswers(bytes: Buffer, isHead: boolean): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd === -1) return answers;
    const [statusLine = '', ...lines] = rest.subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers = new Map<string, string[]>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()]);
    }
    const status = Number(statusLine.split(' ')[1]);
    const hasBody = !isHead && status !== 204 && status !== 304 && status >= 200;
    const length = hasBody ? Number(headers.get('content-length')?.[0] ?? 0) : 0;
    const end = headEnd + 4 + length;
    if (rest.length < end) return answers;
    // "100 Continue" is no answer yet.
    if (status >= 200)
      answers.push({ status, headers, body: rest.subarray(headEnd + 4, end).toString('utf8') });
    rest = rest.subarray(end);
  }
}
