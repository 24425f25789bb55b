import { readFileSync } from 'node:fs';

const RUNBOOKS = ['docs/operations.md', 'docs/alerts.md']
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

const inBlocks = (language: string): readonly string[] =>
  [...RUNBOOKS.matchAll(new RegExp(`^ *\`\`\`${language}\\n(.*?)^ *\`\`\`$`, 'gms'))].map(
    ([, code = '']) => code,
  );

/** Code within the text, on one line. */
const inText = [...RUNBOOKS.replaceAll(/^ *```.*?^ *```$/gms, '').matchAll(/`([^`]+)`/g)].map(
  ([, code = '']) => code.replaceAll(/\s+/g, ' '),
);

/** Statements that a reader of the runbooks would paste: whole blocks, and statements in the text and the tables. */
export const DOCUMENTED_SQL: readonly string[] = [
  ...inBlocks('sql'),
  ...inText.filter((code) => /^(?:(?:select|insert|update|delete) (?!\* from$)|set .*;$)/.test(code)),
];

/** Calls of `petstore`: lines of blocks, which may continue within quotes, and calls in the text and the tables. */
export const DOCUMENTED_CALLS: readonly string[] = [
  ...inBlocks('sh').flatMap((block) => block.match(/^petstore (?:"[^"]*"|[^"\n#])*/gm) ?? []),
  ...inText.filter((code) => code.startsWith('petstore ')),
].map((call) => call.trim());
