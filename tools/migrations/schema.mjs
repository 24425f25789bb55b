// What a rule has to know besides its statement: what is new in this release, so that nobody uses it yet, and what earlier
// statements have prepared.

export class Schema {
  /** By name: what earlier releases created, and what this one did. */
  #released = new Set();
  #created = new Set();
  #isFirstRelease = true;
  #checks = new Set();
  /** By `table.column`: the check that the column is never null, and whether every row was looked at. */
  #notNull = new Map();
  /** Constraints that this migration added without looking at the rows. */
  #addedHere = new Set();
  #lockedHere;

  endRelease() {
    this.#isFirstRelease = false;
    for (const name of this.#created) this.#released.add(name);
    this.#created.clear();
  }

  beginMigration() {
    this.#addedHere.clear();
    this.#lockedHere = undefined;
  }

  /** Whether the release that runs now may use it. */
  isLive(name) {
    return name !== undefined && !this.#isFirstRelease && !this.#created.has(name);
  }

  isCheck(name) {
    return this.#checks.has(name);
  }

  isAddedHere(constraint) {
    return this.#addedHere.has(constraint);
  }

  isProvenNotNull(table, column) {
    return this.#notNull.get(`${table}.${column}`)?.isValid === true;
  }

  /** The live table that this migration has locked so far. */
  get lockedHere() {
    return this.#lockedHere;
  }

  learn(statement) {
    const { created, words, altered, actions } = statement;
    // What is replaced, or left as it is when it exists, stays what others use.
    if (created?.name !== undefined && !this.#released.has(created.name)) this.#created.add(created.name);
    for (const [, name] of words.matchAll(/\bconstraint (\S+) check \(/g)) this.#checks.add(name);
    for (const action of actions) this.#learnAction(altered, action);
    const locked = lockedBy(statement);
    if (locked !== undefined && this.isLive(locked)) this.#lockedHere ??= locked;
  }

  #learnAction(table, action) {
    const [, constraint, column, unproven] =
      /^add constraint (\S+) check \( (\S+) is not null \)( not valid)?$/.exec(action) ?? [];
    if (column !== undefined)
      this.#notNull.set(`${table}.${column}`, { constraint, isValid: unproven === undefined });
    const [, added] = /^add constraint (\S+) .* not valid\b/.exec(action) ?? [];
    if (added !== undefined) this.#addedHere.add(added);
    const [, change, named] = /^(validate|drop) constraint (?:if exists )?(\S+)/.exec(action) ?? [];
    for (const [place, known] of this.#notNull) {
      if (known.constraint !== named || !place.startsWith(`${table}.`)) continue;
      if (change === 'drop') this.#notNull.delete(place);
      else known.isValid = true;
    }
  }
}

/** The table that a statement keeps from its readers or writers until the transaction ends. */
export function lockedBy({ words, altered }) {
  return (
    altered ??
    /^(?:create (?:or replace )?(?:constraint )?|drop )(?:trigger|policy|rule) .*? on (\S+)/.exec(words)?.[1]
  );
}
