// HEALTHCHECK of the image: `node health.mjs` asks the management port whether the process lives, `node health.mjs ready`
// whether requests may come. Node itself asks, so that the image needs no curl.
const check = process.argv[2] === 'ready' ? 'ready' : 'live';
const port = process.env['MANAGEMENT_PORT'] || '3001';

try {
  const answer = await fetch(`http://127.0.0.1:${port}/health/${check}`, {
    // Less than the time-out of HEALTHCHECK, so that the reason is told.
    signal: AbortSignal.timeout(2000),
  });
  // What is said here is what `docker inspect` shows.
  console.log((await answer.text()).trim());
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  console.log(`no answer on port ${port}: ${error.cause?.code ?? error.message}`);
  process.exitCode = 1;
}
