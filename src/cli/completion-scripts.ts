/** What may follow at one place of the command line. */
export interface Place {
  /** The subcommands up to here, such as `keys issue`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly DescribedWord[];
  readonly options: readonly OptionWord[];
  /** The words that its arguments are chosen from. */
  readonly choices: readonly Word[];
  /** Whether it has other arguments, such as a file. Then options are offered only after a dash. */
  readonly hasFreeArgument: boolean;
}

interface Word {
  readonly word: string;
  readonly description?: string;
}

interface DescribedWord extends Word {
  readonly description: string;
}

interface OptionWord extends DescribedWord {
  readonly takesValue: boolean;
  /** Empty: any value. */
  readonly choices: readonly Word[];
}

/** For `source <(petstore completion bash)`. */
export const bashCompletion = (places: readonly Place[]): string => `# Completion of petstore for bash
_petstore() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${pathsOf(places).map(quoted).join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path $previous" in
${valueCases(places, bashOffer)}    *)
      case "$path" in
${placeCases(places, bashOffer, '$current')}      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _petstore petstore
`;

const bashOffer: Offer = (words) => `words=${quoted(textOf(words))}`;

/** For a file `_petstore` in a folder of `$fpath`, or `source <(petstore completion zsh)` after compinit. */
export const zshCompletion = (places: readonly Place[]): string => `#compdef petstore
# Completion of petstore for zsh
_petstore() {
  local place='' word
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      ${pathsOf(places).map(quoted).join('|')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${valueCases(places, zshOffer)}    *)
      case "$place" in
${placeCases(places, zshOffer, '"${words[CURRENT]}"')}      esac
      ;;
  esac
  if (( $#entries )); then
    _describe 'petstore' entries
  else
    _files
  fi
}
if [ "$funcstack[1]" = '_petstore' ]; then
  _petstore "$@"
else
  compdef _petstore petstore
fi
`;

const zshOffer: Offer = (words) => `entries=(${words.map(zshEntry).join(' ')})`;

const zshEntry = ({ word, description }: Word): string =>
  quoted(description === undefined ? word : `${word}:${description.replaceAll(':', '\\:')}`);

/** Shell code that offers words. When it offers none, the shell offers files. */
type Offer = (words: readonly Word[]) => string;

/** The cases after an option that takes a value. */
const valueCases = (places: readonly Place[], offer: Offer): string =>
  places
    .flatMap(({ path, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ word, choices }) => `    ${quoted(`${path} ${word}`)}) ${offer(choices)} ;;\n`),
    )
    .join('');

const placeCases = (places: readonly Place[], offer: Offer, current: string): string =>
  places
    .map(({ path, commands, options, choices, hasFreeArgument }) => {
      const all = offer([...commands, ...options, ...choices]);
      const code = hasFreeArgument
        ? `${offer([...commands, ...choices])}; [[ ${current} == -* ]] && ${all}`
        : all;
      return `        ${quoted(path)}) ${code} ;;\n`;
    })
    .join('');

/** For `petstore completion fish | source`, or a file in `~/.config/fish/completions`. */
export const fishCompletion = (places: readonly Place[]): string => `# Completion of petstore for fish
function __petstore_at --argument-names wanted
    set -l place
    for word in (commandline -opc)[2..]
        switch (string join -- ' ' $place $word)
            case ${pathsOf(places).map(fishQuoted).join(' ')}
                set -a place $word
        end
    end
    test "$place" = "$wanted"
end
${places.flatMap(linesOf).join('\n')}
`;

/** In fish a backslash is one also within single quotes, where it escapes a quote. */
const fishQuoted = (text: string): string => quoted(text.replaceAll('\\', '\\\\')).replaceAll(`'\\''`, `\\'`);

function linesOf({ path, commands, options, choices }: Place): readonly string[] {
  const here = `complete -c petstore -n ${fishQuoted(`__petstore_at ${fishQuoted(path)}`)}`;
  return [
    ...commands.map(
      ({ word, description }) => `${here} -f -a ${fishQuoted(word)} -d ${fishQuoted(description)}`,
    ),
    ...options.map(({ word, description, takesValue, choices: values }) => {
      const name = `-l ${word.replace(/^--/, '')} -d ${fishQuoted(description)}`;
      if (!takesValue) return `${here} ${name}`;
      return values.length === 0
        ? `${here} ${name} -r`
        : `${here} ${name} -x -a ${fishQuoted(textOf(values))}`;
    }),
    ...choices.map(({ word }) => `${here} -f -a ${fishQuoted(word)}`),
  ];
}

const pathsOf = (places: readonly Place[]): readonly string[] =>
  places.map(({ path }) => path).filter((path) => path !== '');

const textOf = (words: readonly Word[]): string => words.map(({ word }) => word).join(' ');

/** A word of shell in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll(`'`, `'\\''`)}'`;
