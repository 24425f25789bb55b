import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

const ENCODERS: Readonly<Record<string, (text: string) => Promise<Buffer>>> = {
  br: promisify<string, Buffer>(brotliCompress),
  gzip: promisify<string, Buffer>(gzip),
};

const COMPRESSED = Object.keys(ENCODERS);

/** A public text that is sent compressed (RFC 9110 section 12.5.3). Its bytes are made once, when they are first needed. */
export class EncodedText {
  readonly #bytes = new Map<string, Promise<Buffer>>();

  constructor(private readonly text: string) {}

  /** The text in the encoding that the client prefers, with the headers for it. */
  async for({ headers }: FastifyRequest, reply: FastifyReply): Promise<string | Buffer> {
    reply.header('vary', 'Accept-Encoding');
    const client = new Negotiator({ headers });
    const encoding = client.encoding([...COMPRESSED, 'identity'], { preferred: COMPRESSED }) ?? 'identity';
    if (encoding === 'identity') return this.text;
    reply.header('content-encoding', encoding);
    return await this.#encoded(encoding);
  }

  /** Makes the bytes of all encodings. */
  async encode(): Promise<void> {
    await Promise.all(COMPRESSED.map((encoding) => this.#encoded(encoding)));
  }

  #encoded(encoding: string): Promise<Buffer> {
    const bytes =
      this.#bytes.get(encoding) ?? ENCODERS[encoding]?.(this.text) ?? Promise.reject(new Error(encoding));
    this.#bytes.set(encoding, bytes);
    return bytes;
  }
}
