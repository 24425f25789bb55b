// Small helpers around the DOM. Text always goes in as text, never as HTML.

/**
 * Makes an element. Functions in the second argument are listeners (`onclick`), other values attributes; `undefined` and
 * `false` are omitted.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number | boolean | undefined | ((event: any) => unknown)>} [attributes]
 * @param {...(Node | string | undefined)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      made.addEventListener(attribute.slice('on'.length), value);
    } else if (value !== undefined && value !== false) {
      made.setAttribute(attribute, value === true ? '' : String(value));
    }
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/**
 * The element that index.html has under this id.
 * @template {HTMLElement} [Wanted=HTMLElement]
 * @param {string} id
 * @returns {Wanted}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return /** @type {Wanted} */ (found);
}

/** @param {string} method */
export const methodBadge = (method) => element('span', { class: `method ${method.toLowerCase()}` }, method);

/** @param {string | number} status */
export const statusBadge = (status) =>
  element('span', { class: `status s${String(status).charAt(0)}` }, String(status));

/**
 * Details that are collapsed by default.
 * @param {(Node | string)[]} summary
 * @param {...(Node | string | undefined)} children
 */
export const fold = (summary, ...children) =>
  element('details', { class: 'fold' }, element('summary', {}, ...summary), ...children);

/**
 * Reads or stores a text in the browser's storage, which may be blocked.
 * @param {'localStorage' | 'sessionStorage'} place
 * @param {string} name
 * @param {string} [text]
 */
export function kept(place, name, text) {
  try {
    if (text !== undefined) window[place].setItem(name, text);
    return window[place].getItem(name) ?? '';
  } catch {
    return '';
  }
}

/**
 * The Markdown subset of the document: paragraphs, lists, and `code`.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function prose(text = '') {
  return text.split('\n\n').map((block) => {
    const lines = block.split('\n');
    if (!lines.every((line) => line.startsWith('- '))) return element('p', {}, ...inline(block));
    return element('ul', {}, ...lines.map((line) => element('li', {}, ...inline(line.slice(2)))));
  });
}

/**
 * Text with `code` elements.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export const inline = (text = '') =>
  text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));

/**
 * A button that copies a text. Where the browser does not let a page write to the clipboard (plain HTTP), the text is
 * selected for Ctrl-C instead.
 * @param {Node} shown
 */
export function copyButton(shown) {
  const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(shown.textContent ?? '');
      button.textContent = 'Copied';
    } catch {
      getSelection()?.selectAllChildren(shown);
      button.textContent = 'Press Ctrl-C';
    }
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  };
  button.addEventListener('click', () => void copy());
  return button;
}
