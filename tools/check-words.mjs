// npm run check -- words: no file contains a word of the project's former vocabulary. Public names are exempt.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const OLD_WORDS = /animal|refus|answer|verdict|\b(?:asker|whoever|nobody|told|mend(?:s|ed|ing)?)\b/i;

/** Names that stay: of the contract, of the database, and of other programs. */
const EXEMPT = [
  // The number of rejected requests: a member of the API, columns, and an environment variable.
  /\b(?:minute|day|finished)_refused\b|BAN_AFTER_REFUSALS|banAfterRefusals|(?:day|minute)Refused/g,
  /(?<=admitted['"`]?(?:: [^,]+)?, ['"`]?)refused|(?<='refused', )refused|(?<=[a-z]\.)refused|\brefused(?=['"`]?(?::|\?| bigint| from| >=|  ?BigInt| =))/g,
  /(?<=^\s*- )refused$|(?<=, )refused(?= \})|(?<=as )refused\b|\brefused!|rejected: refused/g,
  /numberColumn\('refused'\)|(?<=(?:day|admitted) \+)refused/g,
  // The column with a stored response.
  /\banswer(?=,?\s+(?:expires_at|text|= excluded|String)|: (?:CREATED|string))|\.answer\b/g,
  // The user of the operating system, and the error of a closed port.
  /\bpostgres(?:'|`)? or (?:'|`)?nobody|findUser\('nobody'\)|ECONNREFUSED/g,
];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) =>
    /\.(?:ts|mjs|cjs|js|sql|md|ya?ml|json|sh|cfg|prisma|css|html|lua|txt)$|file$|\.example$/i.test(file),
  )
  // The changelog names what was renamed.
  .filter((file) => !/package-lock|^client\/src\/generated|check-words|CHANGELOG/.test(file));

const found = files.flatMap((file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const [word] = OLD_WORDS.exec(EXEMPT.reduce((rest, name) => rest.replaceAll(name, ''), line)) ?? [];
      return word === undefined ? [] : [`${file}:${index + 1}: "${word}" in: ${line.trim().slice(0, 150)}`];
    }),
);

for (const line of found) console.error(line);
if (found.length > 0) process.exit(1);
console.log(`no word of the former vocabulary in ${files.length} files`);
