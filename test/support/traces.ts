import { expect, it } from '@jest/globals';

/** What a trace moves: a step brings about events, which the next look takes. */
export interface Stage {
  /** Does what a step says, and returns what has happened since the last one. */
  step(verb: string, words: readonly string[]): Promise<readonly string[]>;
}

/**
 * One test for each title, which stands at the margin, with options in brackets behind it. Below it stands a line a step, and behind its
 * `→` all that it brought about: nothing else may happen.
 */
export function traces(stageOf: (options: readonly string[]) => Stage, text: string): void {
  for (const block of text.trim().split(/\n(?=\S)/)) {
    const [head = '', ...lines] = block.split('\n');
    const [, options = ''] = /\[(.*)\]$/.exec(head) ?? [];
    it(head, async () => {
      const stage = stageOf(options.split(' '));
      const wanted = lines.map((line) => line.trim().replace(/ *→ */, ' → ').trimEnd());
      const seen: string[] = [];
      for (const line of wanted) {
        const [step = ''] = line.split(' →');
        const [verb = '', ...words] = step.split(' ');
        seen.push(`${step} → ${(await stage.step(verb, words)).join(', ')}`.trimEnd());
      }
      expect(seen).toEqual(wanted);
    });
  }
}
