// HEALTHCHECK of the image, over the management port: `node health.mjs` checks liveness, `node health.mjs ready`
// readiness. It runs on Node, so that the image needs no curl.
const check = process.argv[2] === 'ready' ? 'ready' : 'live';
// A wildcard includes loopback.
const named = process.env['MANAGEMENT_HOST'] ?? '';
const address = ['', '0.0.0.0', '::'].includes(named) ? '127.0.0.1' : named;
const host = address.includes(':') ? `[${address}]` : address;
const port = process.env['MANAGEMENT_PORT'] || (process.env['PORT'] === '3001' ? '3002' : '3001');

try {
  const response = await fetch(`http://${host}:${port}/health/${check}`, {
    // Less than the time-out of HEALTHCHECK, so that the reason is printed.
    signal: AbortSignal.timeout(2000),
  });
  // `docker inspect` shows this line.
  console.log((await response.text()).trim());
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.log(`no response on ${host}:${port}: ${error.cause?.code ?? error.message}`);
  process.exitCode = 1;
}
