/** The full-width form of a character, compatibility-equivalent in Unicode (NFKC). */
const fullWidth = (character: string): string => String.fromCharCode(character.charCodeAt(0) + 0xfe_e0);

/** A character in any case and width, as it is or percent-encoded. */
function encoded(character: string): string {
  const cases = new Set([character, character.toUpperCase()]);
  const forms = [...cases].flatMap((one) => [one, fullWidth(one)]);
  const codes = forms.map((form) => Buffer.from(form).toString('hex').replaceAll(/../g, '%$&'));
  return `(?:${[...forms, ...codes].join('|')})`;
}

/** How each key begins. The pattern matches encoded forms, also in strings that cannot be decoded. */
const PREFIX = Array.from('psk_', encoded).join('');

/** The rest of a key, in any encoding and width, has only these characters. */
const KEY = new RegExp(`${PREFIX}[\\w%\uff10-\uff5a]+`, 'gi');

const BEGINNING = new RegExp(PREFIX, 'i');

const mayHaveKey = (text: string): boolean => /psk_|[%\uff01-\uff5e]/i.test(text);

/** The stored prefix, which identifies a key. */
const STORED = /^psk_[0-9A-Za-z]{8}$/;

/** Masks API keys in a string, also if percent-encoded or in another case or width. Stored prefixes on their own are not masked. */
export const maskKeys = (text: string): string =>
  mayHaveKey(text) ? text.replaceAll(KEY, (key) => (STORED.test(key) ? key : 'psk_***')) : text;

/** Whether a string contains the start of an API key, in any case, width and encoding. */
export const looksLikeKey = (text: string): boolean => BEGINNING.test(text);
