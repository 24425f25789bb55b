/** After all tests, whatever became of them. */
export default async function tearDown() {
  await globalThis.closeTestServer();
}
