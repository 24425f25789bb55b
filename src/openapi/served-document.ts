import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { capitalized, type KeyWindow, WINDOWS } from '../auth/admission/windows.js';
import { PrismaService } from '../database/prisma.service.js';
import { withTimeout } from '../database/with-timeout.js';
import { readPageFiles } from '../pages/page-files.js';
import { EncodedText } from './encoded-text.js';
import { type OpenApi, toJson, toYaml } from './json.js';
import { guideMarkdown, referenceMarkdown } from './markdown.js';

/** How long the plans are shown before they are read again, and how long a response waits for them. */
const PLANS_SHOWN_MS = 60_000;
const PLANS_TIMEOUT_MS = 1000;

/** `requestsPerMinute` and the like. */
type LimitMember = `requestsPer${Capitalize<KeyWindow>}`;

const LIMITS = WINDOWS.map(({ name, isRequired }) => ({
  isRequired,
  member: `requestsPer${capitalized(name)}` as const,
  title: `Requests per ${name}`,
}));

/** A limit is null if each key has its own, or if it is optional and unset. */
type Plan = Readonly<{ id: string } & Record<LimitMember, number | null>>;

/** The docs page; its guide is also served as Markdown. */
const GUIDE = readPageFiles('docs').find(({ name }) => name === 'index.html')?.text ?? '';

interface Texts {
  readonly plans: readonly Plan[];
  readonly json: EncodedText;
  readonly yaml: EncodedText;
  readonly markdown: EncodedText;
}

/** The OpenAPI document of the application, with the plans in the database. `setUpOpenApi` makes it. */
@Injectable()
export class ServedDocument {
  /** Without the plans. */
  document!: OpenApi;
  #texts: Promise<Texts> | undefined;
  #readAtMs = -Infinity;

  constructor(private readonly prisma: PrismaService) {}

  /** Both forms of the document. The plans are read once a minute, and left out when the database does not respond. */
  texts(): Promise<Texts> {
    const nowMs = performance.now();
    if (this.#texts === undefined || nowMs - this.#readAtMs >= PLANS_SHOWN_MS) {
      this.#readAtMs = nowMs;
      this.#texts = this.#update(this.#texts);
    }
    return this.#texts;
  }

  async #update(before: Promise<Texts> | undefined): Promise<Texts> {
    const plans = await withTimeout(PLANS_TIMEOUT_MS, this.#readPlans()).catch(() => []);
    const texts = await before;
    // Reuses the compressed bytes.
    if (texts !== undefined && isDeepStrictEqual(texts.plans, plans)) return texts;
    const document = withPlans(this.document, plans);
    const guide = guideMarkdown(GUIDE, document.servers?.[0]?.url);
    return {
      plans,
      json: new EncodedText(toJson(document)),
      yaml: new EncodedText(toYaml(document)),
      markdown: new EncodedText(`${guide}\n\n${referenceMarkdown(document)}\n`),
    };
  }

  async #readPlans(): Promise<readonly Plan[]> {
    return await this.prisma.pools.reads.run(() =>
      this.prisma.plan.findMany({
        select: { id: true, ...SELECTED },
        orderBy: [{ requestsPerMinute: { sort: 'asc', nulls: 'last' } }, { id: 'asc' }],
      }),
    );
  }
}

const SELECTED = Object.fromEntries(LIMITS.map(({ member }) => [member, true])) as Record<LimitMember, true>;

/** Keys of a plan without any limit have their own. */
const noLimitOf = (plan: Plan): string =>
  LIMITS.every(({ member }) => plan[member] === null) ? 'set for each key' : 'none';

/** The document with the plans, as a table for people and as `x-plans` for programs. */
function withPlans(document: OpenApi, plans: readonly Plan[]): OpenApi {
  if (plans.length === 0) return document;
  const limits = LIMITS.filter(
    ({ isRequired, member }) => isRequired || plans.some((plan) => plan[member] !== null),
  );
  const rows = plans.map((plan) => [
    `\`${plan.id}\``,
    ...limits.map(({ member }) => plan[member]?.toLocaleString('en') ?? noLimitOf(plan)),
  ]);
  const titles = ['Plan', ...limits.map(({ title }) => title)];
  const table = [titles, titles.map(() => '---'), ...rows].map((cells) => cells.join(' | ')).join('\n');
  const description = `${document.info.description ?? ''}\n\nThe plans and their limits:\n\n${table}`;
  return {
    ...document,
    info: { ...document.info, description },
    'x-plans': plans.map((plan) => ({
      id: plan.id,
      ...Object.fromEntries(limits.map(({ member }) => [member, plan[member]])),
    })),
  };
}
