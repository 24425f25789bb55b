/** The same character in full width, which Unicode takes for a compatible one (NFKC). */
const fullWidth = (character: string): string => String.fromCharCode(character.charCodeAt(0) + 0xfe_e0);

/** A character in any case and width, as it is or percent-encoded. */
function encoded(character: string): string {
  const cases = new Set([character, character.toUpperCase()]);
  const forms = [...cases].flatMap((one) => [one, fullWidth(one)]);
  const codes = forms.map((form) => Buffer.from(form).toString('hex').replaceAll(/../g, '%$&'));
  return `(?:${[...forms, ...codes].join('|')})`;
}

/** How each key begins. A pattern finds what a decoder finds, and also works in texts that cannot be decoded. */
const PREFIX = Array.from('psk_', encoded).join('');

/** The rest of a key in any encoding and width has these characters alone. */
const KEY = new RegExp(`${PREFIX}[\\w%\uff10-\uff5a]+`, 'gi');

const BEGINNING = new RegExp(PREFIX, 'i');

const mayHaveKey = (text: string): boolean => /psk_|[%\uff01-\uff5e]/i.test(text);

/** What is stored of a key, and identifies it. */
const STORED = /^psk_[0-9A-Za-z]{8}$/;

/** A text without API keys: also without those that are percent-encoded, or in another case or width. Their stored prefix alone may stay. */
export const maskKeys = (text: string): string =>
  mayHaveKey(text) ? text.replaceAll(KEY, (key) => (STORED.test(key) ? key : 'psk_***')) : text;

/** Whether a text contains what begins as an API key does, in any case, width and encoding. */
export const looksLikeKey = (text: string): boolean => BEGINNING.test(text);
