import { type Place, quoted, type Word } from './words.js';

/** For a file `_petstore` in a folder of `$fpath`, or `source <(petstore completion zsh)` after compinit. */
export const zshCompletion = (places: readonly Place[]): string => `#compdef petstore
# Completion of petstore for zsh
_petstore() {
  local place='' word
  local -a entries
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      ${places
        .filter(({ path }) => path !== '')
        .map(({ path }) => quoted(path))
        .join('|')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${places.flatMap(values).join('')}    *)
      case "$place" in
${places.map(entries).join('')}      esac
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

const values = ({ path, options }: Place): readonly string[] =>
  options
    .filter(({ takesValue }) => takesValue)
    .map(
      ({ word, choices }) =>
        `    ${quoted(`${path} ${word}`)}) entries=(${choices.map(quoted).join(' ')}) ;;\n`,
    );

const entries = ({ path, commands, options, choices, hasFreeArgument }: Place): string => {
  const offered = [...commands.map(described), ...choices.map(quoted)].join(' ');
  const all = [...commands, ...options].map(described).concat(choices.map(quoted)).join(' ');
  // Where nothing is offered, files are.
  if (hasFreeArgument) {
    return `        ${quoted(path)}) entries=(${offered}); [[ "\${words[CURRENT]}" == -* ]] && entries=(${all}) ;;\n`;
  }
  return `        ${quoted(path)}) entries=(${all}) ;;\n`;
};

const described = ({ word, description }: Word): string =>
  quoted(`${word}:${description.replaceAll(':', '\\:')}`);
