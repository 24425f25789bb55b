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

/** The filter over the contents and the text of their sections: `/` focuses it, Enter goes to the first. */
export function setUpFilter() {
  /** @type {HTMLInputElement} */
  const field = byId('contents-filter');
  const contents = byId('contents');
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const item of contents.querySelectorAll('li')) {
      // The identifier of an operation, such as listPets, is found as well.
      const anchor = item.firstElementChild?.getAttribute('href') ?? '';
      const has = (/** @type {string} */ text) => words.every((word) => text.toLowerCase().includes(word));
      const isNamed = has(`${item.textContent} ${anchor}`);
      item.classList.toggle('named', isNamed);
      item.hidden = !isNamed && !has(textOf(document.getElementById(anchor.slice(1))));
    }
    byId('contents-none').hidden = contents.querySelector('li:not([hidden])') !== null;
  });
  field.addEventListener('keydown', ({ key }) => {
    if (key !== 'Enter' || field.value === '') return;
    const first = contents.querySelector('li.named > a') ?? contents.querySelector('li:not([hidden]) > a');
    if (first instanceof HTMLElement) first.click();
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

/**
 * The text of a section, without what all sections have, and without the URL, whose port has any digits.
 * @param {HTMLElement | null} section
 */
function textOf(section) {
  const copy = section?.cloneNode(true);
  if (!(copy instanceof HTMLElement)) return '';
  for (const part of copy.querySelectorAll('.try, .common, .headers, [data-api]')) part.remove();
  return copy.textContent ?? '';
}

/** Marks the link to the section that is being read. To be called when all sections are there. */
export function followReading() {
  const links = new Map(
    [...byId('contents').querySelectorAll('a')].map((link) => [
      link.getAttribute('href')?.slice(1) ?? '',
      link,
    ]),
  );
  const inView = new Set();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inView.add(target.id);
        else inView.delete(target.id);
      }
      // Of two the later one: of the earlier one only the end is left.
      const reading = [...links.keys()].findLast((id) => inView.has(id));
      for (const [id, link] of links) {
        if (id === reading) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    },
    { rootMargin: '-80px 0px -60% 0px' },
  );
  for (const id of links.keys()) {
    const section = document.getElementById(id);
    if (section !== null) observer.observe(section);
  }
}
