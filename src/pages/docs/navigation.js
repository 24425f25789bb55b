// The contents: a menu on narrow screens, a filter, and a mark at what is being read.
import { byId } from './dom.js';

export function setUpMenu() {
  const button = byId('menu-button');
  const contents = byId('contents');
  /** @param {boolean} isOpen */
  const show = (isOpen) => {
    button.setAttribute('aria-expanded', String(isOpen));
    contents.classList.toggle('open', isOpen);
  };
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') !== 'true'));
  contents.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('a') !== null) show(false);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || button.getAttribute('aria-expanded') !== 'true') return;
    show(false);
    button.focus();
  });
}

/** `ifmatch` finds If-Match, and `bigint` a BigInt. @param {string} text */
const plain = (text) => text.toLowerCase().replaceAll(/[-_\s]+/g, '');

/** The search over the contents and the text of their sections: `/` focuses it, Enter goes to the first match. */
export function setUpFilter() {
  /** @type {HTMLInputElement} */
  const field = byId('contents-filter');
  const contents = byId('contents');
  const wanted = () =>
    field.value
      .split(/\s+/)
      .map(plain)
      .filter((word) => word !== '');
  field.addEventListener('input', () => {
    const words = wanted();
    for (const item of contents.querySelectorAll('li')) {
      // The identifier of an operation, such as listPets, is found as well.
      const anchor = item.firstElementChild?.getAttribute('href')?.slice(1) ?? '';
      const has = (/** @type {string} */ text) => words.every((word) => plain(text).includes(word));
      item.classList.toggle(
        'exact',
        words.length > 0 && [anchor, item.textContent].some((text) => plain(text ?? '') === words.join('')),
      );
      item.classList.toggle('named', has(`${item.textContent} ${anchor}`));
      item.hidden = !item.classList.contains('named') && !has(textOf(document.getElementById(anchor)));
    }
    byId('contents-none').hidden = contents.querySelector('li:not([hidden])') !== null;
    mark(words);
  });
  field.addEventListener('keydown', ({ key }) => {
    if (key !== 'Enter' || field.value === '') return;
    const first = ['li.exact > a', 'li.named > a', 'li:not([hidden]) > a']
      .map((selector) => contents.querySelector(selector))
      .find((link) => link !== null);
    if (first instanceof HTMLElement) goTo(first, wanted());
  });
  contents.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || wanted().length === 0) return;
    event.preventDefault();
    goTo(link, wanted());
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    const isOther = event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey;
    if (isOther || isTyping || document.querySelector('dialog[open]') !== null) return;
    event.preventDefault();
    if (!contents.checkVisibility()) byId('menu-button').click();
    field.focus();
  });
}

/** Matches of words in an element, ignoring hyphens and case. @param {Element} of @param {readonly string[]} words */
function rangesOf(of, words) {
  const patterns = words.map(
    (word) => new RegExp(Array.from(word, (one) => one.replace(/\W/, String.raw`\$&`)).join('[-_]?'), 'gi'),
  );
  const texts = document.createTreeWalker(of, NodeFilter.SHOW_TEXT);
  const ranges = [];
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
    for (const pattern of patterns)
      for (const { 0: found, index } of (node.textContent ?? '').matchAll(pattern)) {
        const range = new Range();
        range.setStart(node, index);
        range.setEnd(node, index + found.length);
        ranges.push(range);
      }
  return ranges;
}

/** Highlights the search words; a single letter would match everywhere. @param {readonly string[]} words */
function mark(words) {
  const long = words.filter((word) => word.length > 1);
  if (long.length === 0) CSS.highlights.delete('found');
  else CSS.highlights.set('found', new Highlight(...rangesOf(byId('main'), long)));
}

/** Goes to a section, and there to the first match. @param {HTMLElement} link @param {readonly string[]} words */
function goTo(link, words) {
  const id = link.getAttribute('href')?.split('#')[1];
  const section = id === undefined ? null : document.getElementById(id);
  if (section === null || id === undefined) {
    location.assign(link.getAttribute('href') ?? '');
    return;
  }
  history.pushState(null, '', `#${id}`);
  const heading = section.querySelector('h1, h2, h3');
  const [found] = link.parentElement?.matches('.named') === true ? [] : rangesOf(section, words);
  const place = found?.startContainer.parentElement ?? heading ?? section;
  for (
    let fold = place.closest('details');
    fold !== null;
    fold = fold.parentElement?.closest('details') ?? null
  )
    fold.open = true;
  (found === undefined ? section : place).scrollIntoView({ block: found === undefined ? 'start' : 'center' });
  if (byId('contents').classList.contains('open')) byId('menu-button').click();
}

/**
 * The text of a section, without parts common to all, and without the URL, whose port may match digits.
 * @param {HTMLElement | null} section
 */
function textOf(section) {
  const copy = section?.cloneNode(true);
  if (!(copy instanceof HTMLElement)) return '';
  for (const part of copy.querySelectorAll('.beside, .common, .headers, [data-api]')) part.remove();
  return copy.textContent ?? '';
}

/** On a phone the form of an operation is far below: a link leads to it, hidden when the form is in view. @param {string | undefined} id */
function jumpTo(id) {
  const form = document.getElementById(`try-${id}`);
  const jump = byId('try-jump');
  jump.hidden = form === null || formsInView.has(form.id);
  jump.setAttribute('href', `#try-${id}`);
}

/** @type {Set<string>} */
const formsInView = new Set();

/** Marks the link to the section that is being read. Call it after all sections exist. */
export function followReading() {
  const links = new Map(
    [...byId('contents').querySelectorAll('a')].map((link) => [
      link.getAttribute('href')?.slice(1) ?? '',
      link,
    ]),
  );
  const inView = new Set();
  // The last one in view: of earlier ones only the end is left.
  const reading = () => [...links.keys()].findLast((id) => inView.has(id));
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inView.add(target.id);
        else inView.delete(target.id);
      }
      jumpTo(reading());
      for (const [id, link] of links) {
        if (id === reading()) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    },
    { rootMargin: '-80px 0px -60% 0px' },
  );
  const forms = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) formsInView.add(target.id);
      else formsInView.delete(target.id);
    }
    jumpTo(reading());
  });
  for (const form of document.querySelectorAll('form.beside')) forms.observe(form);
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section !== null) observer.observe(section);
  }
}
