import { type Place, quoted } from './words.js';

/** For `source <(petstore completion bash)`. */
export const bashCompletion = (places: readonly Place[]): string => `# Completion of petstore for bash
_petstore() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths(places)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path $previous" in
${places.flatMap(values).join('')}    *)
      case "$path" in
${places.map(words).join('')}      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _petstore petstore
`;

const paths = (places: readonly Place[]): string =>
  places
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join('|');

/** What may stand after an option with a value; when it is anything, bash offers files. */
const values = ({ path, options }: Place): readonly string[] =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(({ word, choices }) => `    ${quoted(`${path} ${word}`)}) words=${quoted(choices.join(' '))} ;;\n`);

const words = ({ path, commands, options, choices, hasFreeArgument }: Place): string => {
  const offered = [...commands.map(({ word }) => word), ...choices].join(' ');
  const all = [...commands, ...options]
    .map(({ word }) => word)
    .concat(choices)
    .join(' ');
  // Where nothing is offered, bash offers files.
  if (hasFreeArgument) {
    return `        ${quoted(path)}) words=${quoted(offered)}; [[ $current == -* ]] && words=${quoted(all)} ;;\n`;
  }
  return `        ${quoted(path)}) words=${quoted(all)} ;;\n`;
};
