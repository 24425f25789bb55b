// Starts the page. The guide is in index.html; the reference is made from the OpenAPI document of the service.
import { statusBadge } from './badges.js';
import { byId, element } from './dom.js';
import { setUpKeyDialog } from './key.js';
import { followReading, setUpMenu } from './navigation.js';
import { OpenApi } from './openapi.js';
import { renderReference } from './reference.js';

setUpKeyDialog();
setUpMenu();
try {
  const api = await OpenApi.load();
  for (const place of document.querySelectorAll('[data-api]')) place.textContent = api.publicUrl;
  byId('error-table').replaceChildren(errorTable(api));
  byId('deprecated-operations').replaceChildren(deprecations(api));
  const { links, sections } = renderReference(api);
  byId('contents-reference').replaceChildren(...links);
  byId('reference').replaceChildren(...sections);
  // The target of the URL may not have existed before.
  if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
} catch (error) {
  const why = error instanceof Error ? error.message : String(error);
  byId('reference').replaceChildren(
    element('p', { class: 'prose fault' }, `The reference could not be loaded: ${why}`),
  );
}
byId('reference').removeAttribute('aria-busy');
followReading();

/** @param {OpenApi} api */
function errorTable(api) {
  return element(
    'table',
    {},
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...['Status', 'code', 'Meaning'].map((name) => element('th', { scope: 'col' }, name)),
      ),
    ),
    element(
      'tbody',
      {},
      ...api.errorCodes.map(({ name, status, meaning }) =>
        element(
          'tr',
          {},
          element('td', {}, statusBadge(status)),
          element('td', {}, element('code', {}, name)),
          element('td', {}, meaning),
        ),
      ),
    ),
  );
}

/** @param {OpenApi} api */
function deprecations(api) {
  const deprecated = api.groups
    .flatMap(({ operations }) => operations)
    .filter(({ operation }) => operation['deprecated']);
  return element(
    'ul',
    {},
    ...deprecated.map(({ id, method, path, operation }) =>
      element(
        'li',
        {},
        element('a', { href: `#${id}` }, `${method} ${path}`),
        ` is removed on ${operation['x-sunset']}.`,
      ),
    ),
  );
}
