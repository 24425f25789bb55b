/** A request of a page on another origin, as it goes over the wire: the request line, its header lines as they are, and the body. */
export const rawRequest = (line: string, headers: readonly string[] = [], body = ''): string =>
  [line, 'Origin: https://shop.example', ...headers, '', body].join('\r\n');

/** The same with HTTP/1.1 and a Host. */
export const request = (methodAndTarget: string, headers: readonly string[] = [], body = ''): string =>
  rawRequest(`${methodAndTarget} HTTP/1.1`, ['Host: petstore.example', ...headers], body);

export const get = (target: string, key: string): string => request(`GET ${target}`, [bearer(key)]);

/** Creates a pet, if the body is one. */
export const post = (key: string, body: string, headers: readonly string[] = [JSON_TYPE]): string =>
  request('POST /v1/pets', [bearer(key), ...headers, lengthOf(body)], body);

export const bearer = (key: string): string => `Authorization: Bearer ${key}`;

export const lengthOf = (body: string): string => `Content-Length: ${Buffer.byteLength(body)}`;

export const JSON_TYPE = 'Content-Type: application/json';
export const CHUNKED = 'Transfer-Encoding: chunked';

export const PET = '{"name":"Rex","categoryId":7}';

/** A body in chunks of this many bytes at most. */
export const inChunks = (body: string, size: number): string =>
  [...(body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []), '']
    .map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    .join('');
