// The URL holds the state of the page.

/** @param {string} name */
export const parameter = (name) => new URLSearchParams(location.search).get(name) ?? '';

/**
 * The address with other values; empty ones are removed.
 * @param {Record<string, string>} changes
 */
export function addressWith(changes) {
  const parameters = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  return parameters.size === 0 ? 'dashboard' : `dashboard?${parameters}`;
}

/** The address of another page, with the same time. @param {Record<string, string>} wanted */
export function pageWith(wanted) {
  const time = Object.fromEntries(['range', 'from', 'to'].map((name) => [name, parameter(name)]));
  const parameters = Object.entries({ ...wanted, ...time }).filter(([, value]) => value !== '');
  return parameters.length === 0 ? 'dashboard' : `dashboard?${new URLSearchParams(parameters)}`;
}

/** @type {Record<string, string>} */
export const RANGES = { '24h': '24 h', '7d': '7 d', '35d': '35 d' };

/** The selected time, for the service. @returns {Record<string, string>} */
export function timeParameters() {
  const [from, to, range] = [parameter('from'), parameter('to'), parameter('range')];
  if (from !== '' && to !== '') return { from, to };
  return { range: Object.hasOwn(RANGES, range) ? range : '24h' };
}
