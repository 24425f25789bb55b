import { type Json, type OpenApi, type Operation, toJson } from './json.js';

/** Elements of the guide as Markdown: what to put before and after their text. Other tags are dropped. */
const MARKS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  h1: ['\n\n# ', '\n\n'],
  h2: ['\n\n## ', '\n\n'],
  p: ['\n\n', '\n\n'],
  li: ['\n- ', ''],
  dt: ['\n- ', ': '],
  code: ['`', '`'],
  sup: ['^', ''],
};

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

const toText = (html: string): string =>
  html.replaceAll(/<[^>]+>/g, '').replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity);

/**
 * The guide of the docs page, which has only code, lists and paragraphs. Interactive parts are omitted.
 *
 * @param address of the API, for the samples; they keep that of the page if it is relative, because programs need a host
 */
export function guideMarkdown(page: string, address = ''): string {
  const [, guide = ''] = /<main[^>]*>([\s\S]*?)<div id="reference"/.exec(page) ?? [];
  const samples: string[] = [];
  return guide
    .replaceAll(/(<span data-api>)([^<]*)/g, (_api, tag: string, own: string) =>
      address.startsWith('http') ? `${tag}${address}` : `${tag}${own}`,
    )
    .replaceAll(/<(noscript|div|p) ?[^>]*(?:interactive|id=)[^>]*>[\s\S]*?<\/\1\s*>/g, '')
    .replaceAll(/<pre><code[^>]*>([\s\S]*?)<\/code><\/pre>/g, (_pre, code: string) => {
      samples.push(toText(code));
      return `<p>\0</p>`;
    })
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a\s*>/g, '[$2]($1)')
    .replaceAll(/ ?<(\/?)(\w+)[^>]*> ?/g, (tag, end: string, name: string) => {
      const marks = MARKS[name];
      if (marks === undefined) return tag.startsWith(' ') || tag.endsWith(' ') ? ' ' : '';
      const [before, after] = marks;
      return ['code', 'sup'].includes(name)
        ? tag.replace(/<[^>]+>/, end === '' ? before : after)
        : end === ''
          ? before
          : after;
    })
    .replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? entity)
    .replaceAll('\0', () => `\`\`\`\n${samples.shift() ?? ''}\n\`\`\``)
    .replaceAll(/ +(?=\n|: )/g, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

type Members = Readonly<Record<string, Json>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const jsonOf = (of: Json | undefined): Json | undefined =>
  (of?.['content'] as Members | undefined)?.['application/json'];

const exampleOf = ({ example, examples }: Json): unknown =>
  example ?? Object.values((examples ?? {}) as Members)[0]?.['value'];

/** The operations of the document: parameters, an example of the body, and responses with their codes. */
export function referenceMarkdown(document: OpenApi): string {
  const resolve = (value: Json): Json =>
    typeof value['$ref'] === 'string'
      ? value['$ref']
          .split('/')
          .slice(1)
          .reduce<Json>((inside, name) => inside[name] as Json, document)
      : value;
  const parameterLine = (parameter: Json): string => {
    const { name, in: place, required, description, schema } = resolve(parameter);
    const { type } = resolve(schema as Json);
    const facts = [place, type, ...(required === true ? ['required'] : [])].map(textOf).join(', ');
    return `- \`${textOf(name)}\` (${facts}): ${textOf(description)}`;
  };
  const responseLine = ([status, response]: [string, Json]): string => {
    const resolved = resolve(response);
    const codes = Object.keys((jsonOf(resolved)?.['examples'] ?? {}) as Members).map((code) => `\`${code}\``);
    return `- ${status}: ${codes.length > 0 ? codes.join(', ') : textOf(resolved['description'])}`;
  };
  const operationPart = (method: string, path: string, operation: Operation): string => {
    const body = jsonOf(operation['requestBody'] as Json | undefined);
    const parameters = (operation.parameters ?? []).map(parameterLine);
    return [
      `### ${textOf(operation['summary'])}`,
      `\`${method.toUpperCase()} ${path}\`${operation['deprecated'] === true ? ' (deprecated)' : ''}`,
      textOf(operation['description']),
      ...(parameters.length > 0 ? [parameters.join('\n')] : []),
      ...(body === undefined ? [] : [`\`\`\`json\n${toJson(exampleOf(body))}\n\`\`\``]),
      Object.entries(operation.responses).map(responseLine).join('\n'),
    ].join('\n\n');
  };
  const base = new URL(document.servers?.[0]?.url ?? '/v1', 'http://localhost').pathname;
  const parts = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => operationPart(method, base + path, operation)),
  );
  const { code } = (document.components.schemas['Error']?.['properties'] ?? {}) as Members;
  const codes = Object.entries((code?.['x-enumDescriptions'] ?? {}) as Readonly<Record<string, string>>);
  const errors = codes.map(([name, meaning]) => `- \`${name}\`, ${meaning}`).join('\n');
  return ['## Reference', document.info.description ?? '', ...parts, '## Error codes', errors].join('\n\n');
}

/** Read first by assistants (https://llmstxt.org). */
export const LLMS_TXT = `# Pet Store Service

> An HTTP and JSON API for a pet store: pets, categories and orders, with API keys and exact rate limits.

- [Guide and reference](docs.md): how to send requests, page, retry and handle errors, and every operation
- [OpenAPI](openapi.json): the same as an OpenAPI 3.1 document
`;
