// Reading the service's OpenAPI document.
import { parseJson } from './json.js';

/**
 * @typedef {Record<string, any>} Json
 * @typedef {{ id: string, method: string, path: string, tag: string, operation: Json }} Operation
 */

/** The document, with its references resolved on demand. */
export class OpenApi {
  /** @param {Json} document */
  constructor(document) {
    this.document = document;
    // Examples must work from this page, and its content security policy permits its own host only.
    const server = new URL(document['servers'][0].url, location.href);
    this.publicUrl = server.href;
    this.requestUrl = new URL(server.pathname, location.origin).href;
    this.commonErrors = this.#commonErrors();
  }

  static async load() {
    const response = await fetch('openapi.json');
    if (!response.ok) throw new Error(`openapi.json: ${response.status}`);
    return new OpenApi(parseJson(await response.text()));
  }

  /** @returns {{ name: string, description: string, operations: Operation[] }[]} */
  get groups() {
    /** @type {Operation[]} */
    const all = Object.entries(this.document['paths']).flatMap(([path, item]) =>
      Object.entries(/** @type {Json} */ (item)).map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        tag: operation.tags[0],
        operation,
      })),
    );
    return this.document['tags'].map((/** @type {Json} */ tag) => ({
      name: tag['name'],
      description: tag['description'],
      operations: all.filter((one) => one.tag === tag['name']),
    }));
  }

  /**
   * The responses of an operation, each with a line of its status and error codes.
   * @param {Json} operation
   */
  responsesOf(operation) {
    return Object.entries(operation['responses']).map(([status, one]) => {
      const response = this.resolve(one);
      const codes = Object.keys(response['content']?.['application/json']?.examples ?? {});
      return { status, response, line: [status, ...codes].join(' ') };
    });
  }

  /** The lines of the errors that every operation has. @returns {Set<string>} */
  #commonErrors() {
    const lists = this.groups.flatMap(({ operations }) =>
      operations.map(({ operation }) => this.responsesOf(operation).map(({ line }) => line)),
    );
    return new Set(
      lists[0]?.filter((line) => /^\d+ /.test(line) && lists.every((list) => list.includes(line))),
    );
  }

  /** @returns {[name: string, schema: Json][]} */
  get schemas() {
    return Object.entries(this.document['components'].schemas);
  }

  /** The error codes with their status and meaning, by status. */
  get errorCodes() {
    const { code } = this.document['components'].schemas.Error.properties;
    return Object.entries(code['x-enumDescriptions'])
      .map(([name, description]) => {
        const [status = '', ...meaning] = String(description).split(': ');
        return { name, status, meaning: meaning.join(': ') };
      })
      .sort((one, other) => Number(one.status) - Number(other.status));
  }

  /**
   * The target of a reference; anything else is returned as it is.
   * @param {Json} value
   * @returns {Json}
   */
  resolve(value) {
    const { $ref } = value;
    if (typeof $ref !== 'string') return value;
    return $ref
      .slice(2)
      .split('/')
      .reduce((inside, name) => inside[name.replaceAll('~1', '/')], this.document);
  }
}

/**
 * The name of the schema that a reference names.
 * @param {Json} schema
 * @returns {string | undefined}
 */
export const nameOf = ({ $ref }) => (typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined);

/**
 * The first example of a body.
 * @param {Json} media
 */
export const exampleOf = (media) =>
  media['example'] ?? /** @type {Json} */ (Object.values(media['examples'])[0])['value'];
