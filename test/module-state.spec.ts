import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

/** What changes at the level of a module, and why an application may share it with the next one of the process. */
const SHARED: Readonly<Record<string, string>> = {
  'src/cli/main.ts changed': 'a process runs one command',
  'src/cli/main.ts lost': 'a process runs one command',
  'src/config/database-tls.ts known': 'the files of a URL are read once in a process, as documented',
  'src/database/statement.ts statements': 'declared by the modules themselves',
  'src/http/bodies.ts abortedBodies': 'of requests, which are its keys',
  'src/http/bodies.ts streams': 'of requests, which are its keys',
  'src/http/caching.ts latest': 'the tag of a text, the same for every caller',
  'src/http/request.ts count': 'an id that no other request of the process has',
};

/** Variables, and collections that begin empty. */
const CHANGING =
  /^(?:export )?(?:(?:let|var) (?<variable>\w+)|const (?<collection>\w+)[^=]*= (?:new \w*(?:Map|Set)(?:<.*>)?\(\)|\[\]|\{\});|  static (?!readonly)(?:#?(?<member>\w+))(?: =|:|;))/gm;

const stateOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(CHANGING)].map(
    ({ groups = {} }) => `${file} ${groups['variable'] ?? groups['collection'] ?? groups['member'] ?? ''}`,
  );

it('modules keep no state that outlives an application, except process-wide state', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => join('src', file))
    .filter((file) => file.endsWith('.ts') && !/\.spec\.ts$|^src\/generated\//.test(file));
  expect(files.flatMap(stateOf).toSorted()).toEqual(Object.keys(SHARED));
});

it('tests declare no statement, which services of later files would prepare and run', () => {
  const tests = ['src', 'test'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('spec.ts') || (folder === 'test' && file.endsWith('.ts')))
      .map((file) => join(folder, file)),
  );
  expect(tests.length).toBeGreaterThan(150);
  const declares = /(?<![.\w])statement\(\s*[`'"]/;
  expect(tests.filter((file) => declares.test(readFileSync(file, 'utf8')))).toEqual([]);
});
