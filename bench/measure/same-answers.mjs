// Makes sure that servers are compared at the same work: for the same question they must give the same bytes.

const ASKED = 40;

/**
 * @param {{ name: string, address: string, requests: import('../requests.mjs').LoadRequest[] }[]} contenders
 * @throws Error that tells the first difference
 */
export async function assertSameAnswers(contenders) {
  const [first, ...others] = contenders;
  for (let index = 0; index < ASKED; index += 1) {
    const expected = await ask(first, index);
    for (const other of others) {
      const actual = await ask(other, index);
      if (actual === expected) continue;
      throw new Error(
        `${other.name} does not answer as ${first.name} does: ${actual} instead of ${expected}`,
      );
    }
  }
}

/** What the first contender answers to a question: the constant answer of those that have one. */
export async function firstBody({ address, requests }) {
  const { text } = await send(address, requests[0]);
  return text;
}

async function ask({ address, requests }, index) {
  const request = requests[index];
  const { status, text } = await send(address, request);
  if (status < 200 || status > 299) throw new Error(`${request.method} ${request.path}: ${status} ${text}`);
  // A new animal gets an identifier of its own; an order is for another animal at each server, and made at another time.
  if (request.path.startsWith('/v1/store/')) return text.replaceAll(/\d+/g, '0');
  return request.method === 'POST' ? text.replace(/"id":\d+/, '"id":0') : text;
}

async function send(address, { method, path, headers, body }) {
  const { host: _, 'content-length': __, ...own } = headers;
  const response = await fetch(address + path, { method, headers: own, body });
  return { status: response.status, text: await response.text() };
}
