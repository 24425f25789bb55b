import fc from 'fast-check';

/** Of the form of an API key, and issued by no service. */
export const FOREIGN_KEY = 'psk_0123456789abcdefghijklmnopqrstuvwxyzAB';

type Encoding = readonly ('plain' | 'upper' | 'lower')[];

/** How each character is written: the pattern repeats, so that a shrunk failure is easy to read. */
const encodings: fc.Arbitrary<Encoding> = fc.array(fc.constantFrom('plain', 'upper', 'lower'), {
  minLength: 1,
  maxLength: 130,
  size: 'max',
});

/** A key of which any characters are percent-encoded. */
export const encodedKey = (key: string): fc.Arbitrary<string> =>
  encodings.map((how) => percentEncode(key, how));

function percentEncode(text: string, how: Encoding): string {
  return Array.from(text, (character, place) => {
    const code = `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
    const encoding = how[place % how.length];
    if (encoding === 'plain') return character;
    return encoding === 'upper' ? code.toUpperCase() : code;
  }).join('');
}

/** Decodes what can be decoded. */
export const decode = (text: string): string =>
  text.replaceAll(/%([\da-f]{2})/gi, (_code, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
