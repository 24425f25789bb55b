// npm start: builds, then becomes the service, in this same process, so that Ctrl-C and SIGTERM reach the service.
// (package.json says `exec` for the same reason: a shell between npm and this process would keep SIGTERM to itself.)
import { buildOrTell } from './build/service.mjs';

process.exitCode = await buildOrTell();
if (process.exitCode === 0) await import('../dist/main.js');
