// Loaded into every server under test before its own code: tells what the process has used, when it is asked, and
// profiles it. While nobody asks it costs one addition a statement.
import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import pg from 'pg';

let statements = 0;
const query = pg.Client.prototype.query;
pg.Client.prototype.query = function countedQuery(...parameters) {
  statements += 1;
  return query.apply(this, parameters);
};

const session = new Session();

const answers = {
  usage() {
    const { user, system } = process.cpuUsage();
    return { statements, cpuMicroseconds: user + system, memoryBytes: process.memoryUsage.rss() };
  },
  async startCoverage() {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  },
  /** The files with a function that has run since the last call. */
  async filesRun() {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0))
      .map(({ url }) => url);
  },
  async startProfile() {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: 500 });
    await session.post('Profiler.start');
  },
  async stopProfile(file) {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    await writeFile(file, JSON.stringify(profile));
  },
};

process.on('message', ({ id, question, parameter }) => {
  // A fault ends the process: nothing could be measured any more.
  void Promise.resolve(answers[question](parameter)).then((answer) => process.send({ id, answer }));
});
// A server outlives nobody, and the channel must not keep it from ending by itself.
process.on('disconnect', () => process.exit(1));
process.channel.unref();
