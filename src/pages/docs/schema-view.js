// Schemas, for people.
import { element, inline } from './dom.js';
import { nameOf } from './openapi.js';

/** @typedef {import('./openapi.js').Json} Json */

/**
 * A type in a few words, such as `integer (int64)`, with a link where it has a name.
 * @param {Json} schema
 * @returns {(Node | string)[]}
 */
export function typeOf(schema) {
  const name = nameOf(schema);
  if (name !== undefined) return [element('a', { href: `#schema-${name}` }, name)];
  if (schema['type'] === 'array') return ['array of ', ...typeOf(schema['items'])];
  return [schema['format'] === undefined ? schema['type'] : `${schema['type']} (${schema['format']})`];
}

/**
 * The constraints of a value.
 * @param {Json} schema
 * @returns {string}
 */
function boundsOf(schema) {
  const { minimum, maximum, minLength, maxLength, maxItems, default: standard, enum: values } = schema;
  return [
    minimum !== undefined && `${minimum} to ${maximum}`,
    maxLength !== undefined && `${minLength ?? 0} to ${maxLength} characters`,
    maxItems !== undefined && `at most ${maxItems}`,
    values !== undefined && values.map((/** @type {string} */ value) => `\`${value}\``).join(', '),
    standard !== undefined && `default \`${standard}\``,
  ]
    .filter(Boolean)
    .join('; ');
}

/**
 * An object's members, one per line.
 * @param {{ name: string, schema: Json, required: boolean, description?: string, place?: string }[]} members
 */
export function memberList(members) {
  return element(
    'dl',
    { class: 'members' },
    ...members.flatMap(({ name, schema, required, description = schema['description'], place }) => [
      element(
        'dt',
        {},
        element('code', { class: 'name' }, name),
        element('span', { class: 'type' }, ...typeOf(schema)),
        place && element('span', { class: 'type' }, place),
        required ? element('span', { class: 'required' }, 'required') : undefined,
      ),
      element(
        'dd',
        {},
        ...inline(description),
        ...(boundsOf(schema) === ''
          ? []
          : [element('span', { class: 'bounds' }, ...inline(boundsOf(schema)))]),
      ),
    ]),
  );
}

/**
 * A named schema, to which others link.
 * @param {string} name
 * @param {Json} schema
 */
export function schemaSection(name, schema) {
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(properties).map(([member, one]) => ({
    name: member,
    schema: one,
    required: required.includes(member),
  }));
  return element(
    'section',
    { class: 'schema', id: `schema-${name}` },
    element('h3', {}, name),
    element(
      'p',
      {},
      ...inline(schema['description'] ?? ''),
      ' ',
      element('span', { class: 'type' }, ...typeOf(schema)),
    ),
    ...(members.length > 0 ? [memberList(members)] : [element('p', {}, ...inline(boundsOf(schema)))]),
  );
}
