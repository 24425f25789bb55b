// One round of each work on servers that share a database.
import { SERVERS } from './contests.mjs';
import { measureRound } from './measure.mjs';
import { requestsOf } from './requests.mjs';

const WARM_UP_SECONDS = 1;
const CONNECTIONS = 64;
const fileOf = (index) => `requests-of-works-${index}`;

/**
 * @param {readonly { address: string, pid: number }[]} servers the connections and the requests are divided between them
 * @returns {Promise<Record<string, import('./measure.mjs').Round>>} by work; rates and CPU time are those of the first server
 */
export async function measureWorks(servers, works, database, { load, seconds }) {
  const connections = Math.floor(CONNECTIONS / servers.length);
  const drive = async (duration) => {
    const drives = servers.map(({ address }, index) =>
      load.drive({ address, file: fileOf(index), connections, seconds: duration }),
    );
    const results = await Promise.all(drives);
    const sum = (figure) => results.reduce((total, { [figure]: value }) => total + value, 0);
    return { ...results[0], requests: sum('requests'), notOk: sum('notOk'), broken: sum('broken') };
  };
  const prepare = async (work, duration) => {
    const requests = await requestsOf(work, SERVERS.service, database, duration);
    for (const index of servers.keys())
      await load.prepare(
        fileOf(index),
        requests.filter((_, place) => place % servers.length === index),
      );
  };
  const rounds = {};
  for (const work of works) {
    await prepare(work, WARM_UP_SECONDS);
    await drive(WARM_UP_SECONDS);
    await prepare(work, seconds);
    rounds[work] = await measureRound(servers[0], () => drive(seconds));
  }
  return rounds;
}
