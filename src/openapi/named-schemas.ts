import { isDeepStrictEqual } from 'node:util';
import type { Json } from './json.js';

/** Schemas that have a `title` are written once, under it, and referred to from everywhere else. */
export class NamedSchemas {
  readonly #schemas = new Map<string, Json>();

  /** The schema as it is written where it is used. */
  use(schema: Json): Json {
    const { title, ...rest } = schema;
    const written = this.#inside(rest);
    if (typeof title !== 'string') return written;
    const known = this.#schemas.get(title);
    if (known !== undefined && !isDeepStrictEqual(known, written)) {
      throw new Error(`two schemas are called ${title}`);
    }
    this.#schemas.set(title, written);
    return { $ref: `#/components/schemas/${title}` };
  }

  get all(): Json {
    return Object.fromEntries([...this.#schemas].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  #inside(schema: Json): Json {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (keyword === 'items') return [keyword, this.use(value as Json)];
        if (keyword !== 'properties') return [keyword, value];
        const members = Object.entries(value as Readonly<Record<string, Json>>);
        return [keyword, Object.fromEntries(members.map(([name, member]) => [name, this.use(member)]))];
      }),
    );
  }
}
