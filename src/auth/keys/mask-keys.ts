const PERCENT = '%(?:25)*';

/** A hex digit as it is, or percent-encoded. */
const hexDigit = (digit: string): string => {
  const cases = new Set([digit.toLowerCase(), digit.toUpperCase()]);
  return `(?:${[...cases].map((one) => `${one}|${PERCENT}${one.charCodeAt(0).toString(16)}`).join('|')})`;
};

/** A character as it is, or percent-encoded once or twice, with any characters of the first code encoded again. */
const encoded = (character: string): string => {
  const [high = '', low = ''] = character.charCodeAt(0).toString(16);
  return `(?:${character}|${PERCENT}${hexDigit(high)}${hexDigit(low)})`;
};

/** How each key begins. A pattern finds what a decoder finds, and also works in texts that cannot be decoded. */
const PREFIX = Array.from('psk_', encoded).join('');

/** The rest of a key in any encoding has these characters alone. */
const KEY = new RegExp(`${PREFIX}[\\w%]+`, 'g');

const BEGINNING = new RegExp(PREFIX, 'i');

const mayHaveKey = (text: string): boolean => text.includes('psk_') || text.includes('%');

/** What is stored of a key, and identifies it. */
const STORED = /^psk_[0-9A-Za-z]{8}$/;

/** A text without API keys: also without those that are percent-encoded, once or twice. Their stored prefix alone may stay. */
export const maskKeys = (text: string): string =>
  mayHaveKey(text) ? text.replaceAll(KEY, (key) => (STORED.test(key) ? key : 'psk_***')) : text;

/** Whether a text contains what begins as an API key does, in any case and encoding. */
export const looksLikeKey = (text: string): boolean => BEGINNING.test(text);
