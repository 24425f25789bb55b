/** A token of SQL. Words are in lower case; quoted identifiers and strings are what they stand for. */
export interface SqlToken {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'symbol';
  readonly text: string;
  readonly line: number;
}

export interface SqlComment {
  readonly text: string;
  readonly line: number;
}

/** One statement, without its semicolon. */
export interface SqlStatement {
  readonly tokens: readonly SqlToken[];
  /** The line that it begins on, from 1, and the one that its semicolon is on. */
  readonly line: number;
  readonly endLine: number;
}

export interface SqlScript {
  readonly statements: readonly SqlStatement[];
  readonly comments: readonly SqlComment[];
}

type Kind = SqlToken['kind'] | 'comment' | 'blank';

/**
 * What the text of PostgreSQL is made of (its manual, section 4.1). The first that fits is taken. A block comment, which may
 * hold others, is ended by code.
 */
const LEXEMES: readonly (readonly [Kind, RegExp])[] = [
  ['blank', /\s+/y],
  ['comment', /--[^\n\r]*/y],
  ['comment', /\/\*/y],
  ['string', /(\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$)([^]*?)\1/uy],
  ['string', /[eE]'([^'\\]*(?:(?:\\[^]|'')[^'\\]*)*)'/y],
  ['string', /(?:[bBnNxX]|[uU]&)?'([^']*(?:''[^']*)*)'/y],
  ['quoted', /(?:[uU]&)?"([^"]*(?:""[^"]*)*)"/y],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['number', /(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y],
  ['symbol', /::|:=|=>|[^]/y],
];

/** Divides a script into its statements, and these into tokens. Nothing is refused: whether it is right, the database says. */
export function readSql(sql: string): SqlScript {
  const comments: SqlComment[] = [];
  const statements: SqlStatement[] = [];
  let tokens: SqlToken[] = [];
  const body = new RoutineBody();
  let endLine = 1;
  const end = (): void => {
    const [first] = tokens;
    if (first !== undefined) statements.push({ tokens, line: first.line, endLine });
    tokens = [];
  };
  for (const { kind, text, line, lastLine } of lexemes(sql)) {
    if (kind !== 'blank' && kind !== 'comment') endLine = lastLine;
    if (kind === 'comment') comments.push({ text, line });
    else if (kind !== 'blank') {
      const token = { kind, text, line };
      body.pass(token);
      if (text === ';' && kind === 'symbol' && !body.isOpen) end();
      else tokens.push(token);
    }
  }
  end();
  return { statements, comments };
}

function* lexemes(sql: string): Generator<{ kind: Kind; text: string; line: number; lastLine: number }> {
  let at = 0;
  let line = 1;
  while (at < sql.length) {
    const { kind, all, text } = lexemeAt(sql, at);
    const lastLine = line + all.split('\n').length - 1;
    yield { kind, text, line, lastLine };
    at += all.length;
    line = lastLine;
  }
}

function lexemeAt(sql: string, at: number): { kind: Kind; all: string; text: string } {
  for (const [kind, pattern] of LEXEMES) {
    pattern.lastIndex = at;
    const match = pattern.exec(sql);
    if (match === null) continue;
    const [all] = match;
    if (all === '/*') {
      const comment = sql.slice(at, blockCommentEnd(sql, at));
      return { kind, all: comment, text: comment };
    }
    return { kind, all, text: meaningOf(kind, match) };
  }
  throw new Error('no lexeme fits, not even a single character');
}

function meaningOf(kind: Kind, [all, first = '', second]: RegExpExecArray): string {
  if (kind === 'word') return all.toLowerCase();
  if (kind === 'quoted') return first.replaceAll('""', '"');
  // Between dollars the mark comes first.
  if (kind === 'string') return second ?? first.replaceAll("''", "'");
  return all;
}

function blockCommentEnd(sql: string, start: number): number {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = start;
  let depth = 0;
  for (let match = mark.exec(sql); match !== null; match = mark.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return sql.length;
}

/** Semicolons end no statement in parentheses (of a rule), nor in a body that is `begin atomic … end`. */
class RoutineBody {
  #parentheses = 0;
  #ends = 0;
  #last = '';

  get isOpen(): boolean {
    return this.#parentheses > 0 || this.#ends > 0;
  }

  pass({ kind, text }: SqlToken): void {
    if (kind === 'symbol') {
      if (text === '(') this.#parentheses += 1;
      if (text === ')') this.#parentheses = Math.max(0, this.#parentheses - 1);
    }
    if (kind === 'word') {
      if (text === 'atomic' && this.#last === 'begin') this.#ends = 1;
      else if (text === 'case' && this.#ends > 0) this.#ends += 1;
      else if (text === 'end' && this.#ends > 0) this.#ends -= 1;
    }
    this.#last = kind === 'word' ? text : '';
  }
}
