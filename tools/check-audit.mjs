// npm run check:audit: no package that the service needs in production is known to be dangerous (high or critical). Where nobody
// can be asked, because there is no network or the registry has no such service, it says so and passes; with --required it fails.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from './project.mjs';

/** A registry that does not answer must not hold up everything else. */
const TIMEOUT_MS = 60_000;

const REFUSED = new Set(['high', 'critical']);

const { values } = parseArgs({ options: { required: { type: 'boolean', default: false } } });
const report = await audit();
if (report?.metadata?.vulnerabilities === undefined) {
  const reason = report?.message ?? report?.error?.summary ?? 'npm said nothing that can be read';
  console.error(`The advisories cannot be asked for, so nothing is known: ${reason}`);
  if (values.required) process.exitCode = 1;
} else {
  const found = Object.values(report.vulnerabilities ?? {});
  const refused = found.filter(({ severity }) => REFUSED.has(severity));
  for (const { name, severity, range, via, fixAvailable } of refused) {
    const titles = via.map((one) =>
      typeof one === 'string' ? `by way of ${one}` : `${one.title} (${one.url})`,
    );
    const remedy = fixAvailable === false ? 'there is no fix yet' : 'a fix is there: npm audit fix';
    console.error(`${severity}: ${name} ${range}: ${titles.join('; ')}; ${remedy}`);
  }
  if (refused.length > 0) process.exitCode = 1;
  else console.log(`No production dependency is known to be dangerous; ${found.length} lesser advisories`);
}

/** What npm found, as it reports it; undefined when that is no JSON. It exits with 1 also when it found something. */
function audit() {
  return new Promise((resolve, reject) => {
    const npm = spawn('npm', ['audit', '--omit=dev', '--json'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
    });
    let output = '';
    npm.stdout.setEncoding('utf8').on('data', (text) => (output += text));
    npm.once('error', reject);
    npm.once('close', () => {
      try {
        resolve(JSON.parse(output));
      } catch {
        resolve(undefined);
      }
    });
  });
}
