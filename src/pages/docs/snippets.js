// Snippets: the request of a form in several languages, with the key in a variable.
import { compactJson, parseJson } from './json.js';

/** @typedef {(request: import('./try.js').Request, api: string) => string} Snippet */

/** @type {Snippet} */
const curl = ({ method, target, headers, body }, api) =>
  [
    `curl -i -w '\\n'${method === 'GET' ? '' : ` -X ${method}`} -H "Authorization: Bearer $PETSTORE_KEY"`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${shellQuoted(body)}`]),
    shellQuoted(api + target),
  ].join(' \\\n  ');

/** The body is text, because JSON.stringify cannot write integers beyond 2^53. @type {Snippet} */
const javaScript = ({ method, target, headers, body }, api) =>
  [
    `const response = await fetch(${quoted(api + target)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    '    Authorization: `Bearer ${process.env.PETSTORE_KEY}`,',
    ...Object.entries(headers).map(([name, value]) => `    '${name}': ${quoted(value)},`),
    '  },',
    ...(body === undefined ? [] : [`  body: ${quoted(compactJson(body))},`]),
    '});\nconsole.log(response.status, await response.text());',
  ].join('\n');

/** @type {Snippet} */
const python = ({ method, target, headers, body }, api) =>
  [
    'import os\nimport requests\n',
    `response = requests.${method.toLowerCase()}(`,
    `    ${quoted(api + target)},`,
    '    headers={',
    `        'Authorization': 'Bearer ' + os.environ['PETSTORE_KEY'],`,
    ...Object.entries(headers).map(([name, value]) => `        '${name}': ${quoted(value)},`),
    '    },',
    ...(body === undefined ? [] : [`    data=${quoted(compactJson(body))}.encode(),`]),
    ')\nprint(response.status_code, response.text)',
  ].join('\n');

/** Names that differ between client and document. @type {Record<string, string>} */
const CLIENT_NAMES = {
  ...{ updatePet: 'changePet', updateOrder: 'changeOrder', getInventory: 'inventory', getUsage: 'usage' },
  ...{ 'Idempotency-Key': 'idempotencyKey', 'If-Match': 'ifMatch', 'If-None-Match': 'ifNoneMatch' },
};

/** @type {Snippet} */
const typedClient = ({ id, values, body }, api) => {
  const given = values.map(({ place, name, sent }) => {
    const texts = sent.map((text) => (name === 'limit' && /^\d+$/.test(text) ? text : quoted(text)));
    return { place, name, text: texts.length === 1 ? texts[0] : `[${texts.join(', ')}]` };
  });
  const options = given
    .filter(({ place }) => place === 'query' || place === 'header')
    .map(({ name, text }) => `${CLIENT_NAMES[name] ?? name}: ${text}`);
  const parts = [
    ...given.filter(({ place }) => place === 'path').map(({ text }) => text),
    ...(body === undefined ? [] : [argument(body, id.endsWith('Order'))]),
    ...(options.length === 0 ? [] : [`{ ${options.join(', ')} }`]),
  ];
  return [
    `import { PetStore } from '@petstore/client';\n`,
    `const store = new PetStore({ baseUrl: ${quoted(api)}, apiKey: process.env.PETSTORE_KEY });`,
    `console.log(await store.${CLIENT_NAMES[id] ?? id}(${parts.join(', ')}));`,
  ].join('\n');
};

export const LANGUAGES = { curl, JavaScript: javaScript, 'Typed client': typedClient, Python: python };

/** @param {string} text */
const shellQuoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A string of JavaScript and of Python. */
const quoted = (/** @type {string} */ text) =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;

/**
 * A body as an argument of the client, which takes an order's only member directly. Invalid JSON is left as is.
 * @param {string} body
 * @param {boolean} isOrder
 */
function argument(body, isOrder) {
  try {
    const members = Object.entries(parseJson(body)).map(([name, value]) => {
      const text = ['string', 'bigint'].includes(typeof value) ? quoted(`${value}`) : JSON.stringify(value);
      return isOrder ? text : `${/^\w+$/.test(name) ? name : quoted(name)}: ${text}`;
    });
    return isOrder ? members.join(', ') : `{ ${members.join(', ')} }`;
  } catch {
    return body;
  }
}
