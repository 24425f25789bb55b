const EXIT_MS = 5000;

/** After all tests, whatever became of them. */
export default async function tearDown() {
  await globalThis.closeTestServer();
  // What a test has left open would keep Jest from ending. Without it Jest ends before.
  const exit = setTimeout(() => {
    process.stderr.write(`Left open by tests: ${process.getActiveResourcesInfo().join(', ')}.\n`);
    process.exit();
  }, EXIT_MS);
  exit.unref();
}
