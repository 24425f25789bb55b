import { type Place, quoted as shellQuoted } from './words.js';

/** For `petstore completion fish | source`, or a file in `~/.config/fish/completions`. */
export const fishCompletion = (places: readonly Place[]): string => `# Completion of petstore for fish
function __petstore_at --argument-names wanted
    set -l place
    for word in (commandline -opc)[2..]
        switch (string join -- ' ' $place $word)
            case ${places
              .filter(({ path }) => path !== '')
              .map(({ path }) => quoted(path))
              .join(' ')}
                set -a place $word
        end
    end
    test "$place" = "$wanted"
end
${places.flatMap(linesOf).join('\n')}
`;

/** In fish a backslash is one also within single quotes, where it escapes a quote. */
const quoted = (text: string): string =>
  shellQuoted(text.replaceAll('\\', '\\\\')).replaceAll(`'\\''`, `\\'`);

function linesOf({ path, commands, options, choices }: Place): readonly string[] {
  const here = `complete -c petstore -n ${quoted(`__petstore_at ${quoted(path)}`)}`;
  return [
    ...commands.map(({ word, description }) => `${here} -f -a ${quoted(word)} -d ${quoted(description)}`),
    ...options.map(({ word, description, takesValue, choices: values }) => {
      const name = `-l ${word.replace(/^--/, '')} -d ${quoted(description)}`;
      if (!takesValue) return `${here} ${name}`;
      return values.length === 0 ? `${here} ${name} -r` : `${here} ${name} -x -a ${quoted(values.join(' '))}`;
    }),
    ...choices.map((word) => `${here} -f -a ${quoted(word)}`),
  ];
}
