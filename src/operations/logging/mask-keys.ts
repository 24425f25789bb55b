/** An API key, wherever it came from: the target of a request, a message, a stack. */
const KEY = /psk(?:_|%5[fF])[\w%]*/g;

/** A text without what looks like an API key. */
export const maskKeys = (text: string): string =>
  text.includes('psk') ? text.replaceAll(KEY, 'psk_***') : text;
