// npm run check -- deploy: what deploys the service hangs together, and says of the service only what is true. The programs that
// read these files (promtool, haproxy, pgbouncer, psql, docker, shellcheck) look at them, too, where they are installed.
import { checkCompose } from './deploy/compose.mjs';
import { checkDockerfile } from './deploy/dockerfile.mjs';
import { checkKubernetes } from './deploy/kubernetes.mjs';
import { checkMonitoring } from './deploy/monitoring.mjs';
import { checkWithPrograms } from './deploy/programs.mjs';
import { checkRoles } from './deploy/roles.mjs';

const faults = [];
const told = [];
const report = {
  fault: (message) => faults.push(message),
  /** What was looked at, or could not be. */
  tell: (message) => told.push(message),
};

checkDockerfile(report);
checkCompose(report);
checkKubernetes(report);
await checkMonitoring(report);
checkWithPrograms(report);
await checkRoles(report);

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log(told.join('\n'));
