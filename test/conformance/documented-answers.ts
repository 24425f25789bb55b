import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What an operation answers, as the checked-in document says. */
export interface DocumentedAnswers {
  readonly id: string;
  readonly method: string;
  readonly successStatus: number;
  /** The codes of each error status. */
  readonly codes: ReadonlyMap<number, readonly string[]>;
}

/** The text of the checked-in copy of the document. */
export const DOCUMENT_COPY = readFileSync('docs/openapi.yaml', 'utf8');

interface Response {
  readonly $ref?: string;
  readonly content?: { readonly 'application/json': { readonly examples?: object } };
}

export function documentedAnswers(): readonly DocumentedAnswers[] {
  const document = parse(DOCUMENT_COPY) as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, Response> }>>;
    components: { responses: Record<string, Response> };
  };
  return Object.values(document.paths).flatMap((item) =>
    Object.entries(item).map(([method, { operationId: id, responses }]) => {
      const codes = new Map<number, readonly string[]>();
      for (const [status, response] of Object.entries(responses)) {
        const { content } = document.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response;
        const examples = content?.['application/json'].examples;
        if (examples !== undefined) codes.set(Number(status), Object.keys(examples));
      }
      const successStatus = Number(Object.keys(responses).find((status) => /^2\d\d$/.test(status)));
      return { id, method: method.toUpperCase(), successStatus, codes };
    }),
  );
}
