import { crc32 } from 'node:zlib';

/** Changes when the layout below does, so that an old cursor is refused instead of misread. */
const VERSION = 1;

/** The version, the identifier that the page begins at, and a checksum of both and of the list they belong to. */
const LENGTH = 1 + 8 + 4;

/**
 * The opaque text that names a place in a list: base64url of the bytes above. The checksum binds it to its list, filter
 * included; it keeps mistakes away, not attackers, for a place in a list is nothing to protect.
 */
export function encodeCursor(list: string, fromId: bigint): string {
  const bytes = Buffer.allocUnsafe(LENGTH);
  bytes.writeUInt8(VERSION, 0);
  bytes.writeBigInt64BE(fromId, 1);
  bytes.writeUInt32BE(checksum(list, bytes), 9);
  return bytes.toString('base64url');
}

/** The identifier that the page begins at, or undefined when the cursor is none of this list. */
export function decodeCursor(list: string, cursor: string): bigint | undefined {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.length !== LENGTH || bytes.readUInt8(0) !== VERSION) return undefined;
  // The decoder skips characters that it does not know; only what encodes to the same text was ours.
  if (bytes.toString('base64url') !== cursor || bytes.readUInt32BE(9) !== checksum(list, bytes))
    return undefined;
  return bytes.readBigInt64BE(1);
}

const checksum = (list: string, bytes: Buffer): number => crc32(bytes.subarray(0, 9), crc32(list));
