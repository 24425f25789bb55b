// The reference: every operation of the document, with a form to try it.
import { element, fold, inline, methodBadge, prose, statusBadge } from './dom.js';
import { memberList, schemaSection, typeOf } from './schema-view.js';
import { tryForm } from './try.js';

/**
 * @typedef {import('./openapi.js').Json} Json
 * @typedef {import('./openapi.js').OpenApi} OpenApi
 * @typedef {import('./openapi.js').Operation} Operation
 */

/**
 * The reference, and the links to it.
 * @param {OpenApi} api
 */
export function renderReference(api) {
  const groups = api.groups.map(({ name, description, operations }) => ({
    links: [
      element('h2', {}, name),
      element('ul', {}, ...operations.map((one) => element('li', {}, operationLink(one)))),
    ],
    section: element(
      'section',
      { id: `group-${name}`, class: 'group' },
      element('h2', {}, name),
      ...prose(description),
      ...operations.map((one) => operationSection(api, one)),
    ),
  }));
  const schemas = element(
    'section',
    { id: 'schemas', class: 'group' },
    element('h2', {}, 'Schemas'),
    ...api.schemas.map(([name, schema]) => schemaSection(name, schema)),
  );
  return {
    links: groups.flatMap(({ links }) => links),
    sections: [...groups.map(({ section }) => section), schemas],
  };
}

/** @param {Operation} operation */
const operationLink = ({ id, method, operation: { summary, deprecated } }) =>
  element('a', { href: `#${id}`, class: deprecated && 'deprecated' }, methodBadge(method), summary);

/**
 * @param {OpenApi} api
 * @param {Operation} one
 */
function operationSection(api, one) {
  const { id, method, path, operation } = one;
  return element(
    'section',
    { id, class: 'operation' },
    element('p', { class: 'kicker' }, one.tag),
    element('h3', {}, operation['summary'], operation['deprecated'] && deprecatedBadge(operation)),
    element(
      'p',
      { class: 'path' },
      methodBadge(method),
      element('code', {}, new URL(api.publicUrl).pathname + path),
    ),
    element(
      'div',
      { class: 'sides' },
      element(
        'div',
        { class: 'about' },
        ...prose(operation['description']),
        ...inputs(api, operation),
        ...responses(api, operation),
      ),
      tryForm(api, one),
    ),
  );
}

/** @param {Json} operation */
const deprecatedBadge = (operation) =>
  element('a', { class: 'badge', href: '#deprecation' }, `deprecated, removed on ${operation['x-sunset']}`);

/**
 * @param {OpenApi} api
 * @param {Json} operation
 */
function inputs(api, operation) {
  const parameters = operation['parameters'].map((/** @type {Json} */ one) => {
    const parameter = api.resolve(one);
    const { name, schema, required = false, description } = parameter;
    // A named enumeration is shown with its values.
    return { name, schema: { ...api.resolve(schema) }, required, description, place: parameter['in'] };
  });
  const body = operation['requestBody']?.content['application/json'].schema;
  return [
    ...(parameters.length > 0 ? [element('h4', {}, 'Parameters'), memberList(parameters)] : []),
    ...(body === undefined ? [] : [element('h4', {}, 'Body: ', ...typeOf(body)), bodyMembers(api, body)]),
  ];
}

/**
 * @param {OpenApi} api
 * @param {Json} body
 */
function bodyMembers(api, body) {
  const { properties, required = [] } = api.resolve(body);
  return memberList(
    Object.entries(properties).map(([name, schema]) => ({
      name,
      schema: api.resolve(schema),
      required: required.includes(name),
    })),
  );
}

/**
 * @param {OpenApi} api
 * @param {Json} operation
 */
function responses(api, operation) {
  return [
    element('h4', {}, 'Responses'),
    ...api
      .responsesOf(operation)
      .filter(({ line }) => !api.commonErrors.has(line))
      .map(({ status, response }) => responseSection(status, response)),
    fold(
      ['Errors of every operation'],
      element('div', { class: 'common' }, ...[...api.commonErrors].map(commonError)),
      element('p', {}, element('a', { href: '#errors' }, 'What they mean')),
    ),
  ];
}

/** @param {string} line */
function commonError(line) {
  const [status = '', ...codes] = line.split(' ');
  return element('p', {}, statusBadge(status), ...codes.flatMap((code) => [' ', element('code', {}, code)]));
}

/**
 * @param {string} status
 * @param {Json} response
 */
function responseSection(status, response) {
  const json = response['content']?.['application/json'];
  const codes = Object.keys(json?.examples ?? {});
  const isError = codes.length > 0;
  return fold(
    [statusBadge(status), element('span', {}, ...inline(isError ? names(codes) : response['description']))],
    ...(isError ? prose(response['description']) : []),
    isError || json === undefined ? undefined : element('p', {}, 'Body: ', ...typeOf(json.schema)),
    element(
      'p',
      { class: 'headers' },
      ...inline(`Headers: ${names(Object.keys(response['headers'] ?? {}))}`),
    ),
  );
}

const names = (/** @type {string[]} */ list) => list.map((name) => `\`${name}\``).join(' ');
