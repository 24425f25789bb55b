import { afterAll, describe, expect, it } from '@jest/globals';
import { allGroups, closeGroups, groupReads, observeGroups } from './groups.js';
import type { StatementReport } from './group.js';

const reports: StatementReport[] = [];
let context = 'nobody';
observeGroups({ statementEnded: (report) => reports.push(report), contextOf: () => context });
afterAll(closeGroups);

describe('the groups of a process', () => {
  it('are told of, with what each question was asked in', async () => {
    const group = groupReads<number, number>({
      name: 'doubles',
      send: (questions) => Promise.resolve(questions.map((one) => one * 2)),
    });
    context = 'first request';
    const first = group.ask(1);
    context = 'second request';
    expect(await Promise.all([first, group.ask(2)])).toEqual([2, 4]);
    const [report] = reports;
    expect(report).toMatchObject({ group: 'doubles', questions: 2, failure: undefined });
    expect(report?.asked.map((asked) => asked.context)).toEqual(['first request', 'second request']);
    expect(report?.asked.every(({ askedAt }) => askedAt <= report.sentAt)).toBe(true);
    expect([...allGroups()].map(({ name }) => name)).toContain('doubles');
  });

  it('answer what was asked, and nothing more, once they are closed', async () => {
    const group = groupReads<string, string>({ name: 'echo', send: async (questions) => questions });
    const asked = group.ask('before');
    const closed = closeGroups();
    expect(await asked).toBe('before');
    await closed;
    await expect(group.ask('after')).rejects.toMatchObject({ reason: 'closing' });
  });
});
