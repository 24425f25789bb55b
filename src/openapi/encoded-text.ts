import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import Negotiator from 'negotiator';

/** The used part of a Fastify reply. */
interface EncodedReply {
  readonly request: { readonly headers: IncomingHttpHeaders };
  header(name: string, value: string): unknown;
}

type Encode = (text: string) => Promise<Buffer>;

const ENCODERS: Readonly<Record<string, Encode>> = {
  br: promisify<string, Buffer>(brotliCompress),
  gzip: promisify<string, Buffer>(gzip),
};

const COMPRESSED = Object.keys(ENCODERS);

/** A public text that is sent compressed (RFC 9110 section 12.5.3). Each encoding is computed once, on first use. */
export class EncodedText {
  readonly #bytes = new Map<string, Promise<Buffer>>();

  constructor(private readonly text: string) {}

  /** The text in the encoding that the client prefers, with the headers for it. */
  async for(reply: EncodedReply): Promise<string | Buffer> {
    reply.header('vary', 'Accept-Encoding');
    const client = new Negotiator({ headers: reply.request.headers });
    const encoding = client.encoding([...COMPRESSED, 'identity'], { preferred: COMPRESSED }) ?? 'identity';
    const encode = ENCODERS[encoding];
    if (encode === undefined) return this.text;
    reply.header('content-encoding', encoding);
    return await this.#encoded(encoding, encode);
  }

  /** Makes the bytes of all encodings. */
  async encode(): Promise<void> {
    await Promise.all(Object.entries(ENCODERS).map(([name, encode]) => this.#encoded(name, encode)));
  }

  #encoded(name: string, encode: Encode): Promise<Buffer> {
    const bytes = this.#bytes.get(name) ?? encode(this.text);
    this.#bytes.set(name, bytes);
    return bytes;
  }
}
