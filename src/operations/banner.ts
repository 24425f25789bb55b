import type { FirstStart } from './first-start.js';

export interface BannerFacts {
  readonly address: string;
  /** Where the management port listens. */
  readonly management: string;
  /** Absent when the database is not the embedded one. */
  readonly dataDir: string | undefined;
  /** Present at the first start with an embedded database. */
  readonly firstStart: FirstStart | undefined;
}

/** What the start prints for the person who typed it. */
export function banner({ address, management, dataDir, firstStart }: BannerFacts): string {
  const lines = [
    `Pet Store Service: ${address}/v1`,
    `Documentation: ${address}/docs`,
    `Management: ${management}/health/ready, ${management}/metrics`,
  ];
  if (dataDir !== undefined) lines.push(`Database: embedded PostgreSQL in ${dataDir}`);
  if (firstStart !== undefined) {
    lines.push(
      `It is new: it got ${firstStart.sampleCount} sample animals and this key, which is shown only now:`,
      '',
      `  ${firstStart.apiKey}`,
      '',
      'Try it:',
      '',
      `  curl -H 'Authorization: Bearer ${firstStart.apiKey}' '${address}/v1/pets?limit=3'`,
      '',
    );
  } else if (dataDir !== undefined) {
    lines.push("A key: node dist/cli/main.js keys issue --name 'My key' --plan pro");
  }
  return `${lines.join('\n')}\n`;
}
