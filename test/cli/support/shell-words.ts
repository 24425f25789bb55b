/** The words of a command as a shell would read them, up to a pipe or a redirection. For what documents show, no more. */
export function shellWords(command: string): readonly string[] {
  const words: string[] = [];
  for (const [word] of command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
    if (word === '|' || word === '>' || word.startsWith('#')) break;
    words.push(
      word.replaceAll(
        /'([^']*)'|"([^"]*)"/g,
        (_all, single: string | undefined, double: string | undefined) => single ?? double ?? '',
      ),
    );
  }
  return words;
}
