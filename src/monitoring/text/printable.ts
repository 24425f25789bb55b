/** Characters that a terminal would execute or that would break a table's lines. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
export const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Text with its control characters written out, as `\n` and `\u001b`. */
export const printable = (text: string): string => text.replaceAll(CONTROL, escape);

/** The same for each line of a text. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n');

export function escape(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
