// Indexes, and what is dropped, renamed or taken away while the release before this one still runs.
import { dropOf, indexOf, splitAtCommas } from '../statement.mjs';

/** By name: why it is refused and what to do instead, and whether a statement breaks it. */
export const OBJECT_RULES = {
  'create-index': {
    says: 'nobody can write the table while the index is built: "create index concurrently if not exists", in a migration of its own that begins with "-- migrate: outside a transaction"',
    breaks: ({ words }, schema) => {
      const index = indexOf(words);
      return index !== undefined && !index.isConcurrent && schema.isLive(index.table);
    },
  },
  'drop-index': {
    says: 'nobody can read the table until it is gone: "drop index concurrently if exists", in a migration of its own that begins with "-- migrate: outside a transaction"',
    breaks: ({ words }, schema) => {
      const drop = dropOf(words);
      return drop?.kind === 'index' && !drop.isConcurrent && drop.names.some((name) => schema.isLive(name));
    },
  },
  'drop-object': {
    says: 'the release that runs now may use it: stop using it in one release, drop it in the next; a function, view or trigger is replaced by "create or replace"',
    breaks: ({ words }, schema) => {
      const drop = dropOf(words);
      if (drop === undefined) return /^drop (?!index )/.test(words);
      return drop.kind !== 'index' && drop.names.some((name) => schema.isLive(name));
    },
  },
  rename: {
    says: 'the release that runs now knows the old name: add the new one beside it, and drop the old one in the next release',
    breaks: ({ words }, schema) => {
      const [, name] =
        /^alter (?:\w+ ){1,2}(?:if exists )?(?:only )?(\S+) .*?(?:\brename |\bset schema )/.exec(words) ?? [];
      return schema.isLive(name);
    },
  },
  'type-attribute': {
    says: 'the release that runs now knows the type as it is: make another',
    breaks: ({ words }, schema) => {
      const [, name] = /^alter type (\S+) (?:drop|alter) attribute\b/.exec(words) ?? [];
      return schema.isLive(name);
    },
  },
  revoke: {
    says: 'the release that runs now may need the privilege: revoke it in the release after the one that stops needing it',
    breaks: ({ words }, schema) => {
      if (!words.startsWith('revoke ')) return false;
      const [, objects = ''] =
        / on (?:(?:table|function|procedure|routine|sequence|schema|type|database) )?(.*) from /.exec(
          words,
        ) ?? [];
      return splitAtCommas(objects).some((object) => schema.isLive(object.split(' ')[0]));
    },
  },
};
