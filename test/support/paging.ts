import type { TestService } from './service.js';

/** The target of a link relation, if the response has it. */
export const linkOf = (response: Response, relation: string): string | undefined =>
  new RegExp(`<([^>]*)>; rel="${relation}"`).exec(response.headers.get('link') ?? '')?.[1];

/** Follows `next` from a first page on. */
export async function* walk(
  service: TestService,
  key: string,
  from: string,
): AsyncGenerator<readonly { readonly id: number; readonly name: string }[]> {
  for (let target: string | undefined = from; target !== undefined;) {
    const response: Response = await service.fetch(target, { key });
    if (response.status !== 200) throw new Error(`${target}: ${response.status} ${await response.text()}`);
    yield (await response.json()) as { id: number; name: string }[];
    target = linkOf(response, 'next');
  }
}
