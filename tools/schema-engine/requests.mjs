// The native engine's protocol: JSON-RPC, one message a line, over standard input and output until the input ends.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { createAdapterFactory } from './adapter.mjs';

/** Methods that the WebAssembly engine calls by another name. */
const RENAMED = { getDatabaseVersion: 'version' };
/** Methods that compare with what the migrations make. */
const COMPARES_WITH_MIGRATIONS = new Set(['evaluateDataLoss', 'createMigration']);
/** The native engine's code for an error that the "data" member tells more of. */
const SERVER_ERROR = 4466;

let panicMessage;
const panicked = catchPanic();

/** Answers every request of standard input, and ends the process when all of them are answered. */
export function serveRequests({ url, schemaFiles }) {
  let engine;
  let unanswered = 0;
  let inputEnded = false;
  // The connection pool keeps the process alive, so its end must be said.
  const endWhenDone = () => {
    if (inputEnded && unanswered === 0) process.exit(0);
  };
  const answer = async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === undefined) return; // Prisma's receipt for a "print"
    try {
      engine ??= openEngine(url, schemaFiles);
      send({ id, result: await Promise.race([call(await engine, id, method, params), panicked]) });
    } catch (error) {
      send({ id, error: describeError(error) });
    }
  };
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      unanswered += 1;
      void answer(line).finally(() => {
        unanswered -= 1;
        endWhenDone();
      });
    })
    .on('close', () => {
      inputEnded = true;
      endWhenDone();
    });
}

async function openEngine(url, schemaFiles) {
  const file = new URL(
    'schema_engine_bg.wasm',
    import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'),
  );
  const { instance } = await WebAssembly.instantiate(readFileSync(file), {
    './schema_engine_bg.js': bindings,
  });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  const datamodels = schemaFiles.map((path) => [path, readFileSync(path, 'utf8')]);
  return bindings.SchemaEngine.new(
    { datamodels: datamodels.length > 0 ? datamodels : undefined },
    () => {},
    createAdapterFactory(url),
  );
}

async function call(engine, id, method, params) {
  const name = RENAMED[method] ?? method;
  if (typeof engine[name] !== 'function') throw new Error(`The schema engine has no method ${method}.`);
  // Fault 5: these look for the migrations' outcome in a cache and cannot work it out themselves, as they open no
  // shadow database. The diagnosis does, and fills the cache; by now it finds all migrations applied.
  if (COMPARES_WITH_MIGRATIONS.has(method)) {
    await engine.devDiagnostic({ migrationsList: params.migrationsList, filters: params.filters });
  }
  const result = (await engine[name](params)) ?? {};
  if (method !== 'diff') return result;
  // Fault 4: the WebAssembly engine returns the difference, while Prisma prints only what it is sent as "print".
  if (result.stdout) send({ id: `print-${id}`, method: 'print', params: { content: result.stdout } });
  return { exitCode: result.exitCode, stdout: null };
}

/**
 * Fault 6: a panic in the WebAssembly engine leaves its promise open and ends the process, on which Prisma in turn
 * ends with exit code 0, as if nothing were wrong. So a panic becomes the answer of every request.
 */
function catchPanic() {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (text) => (panicMessage = text) };
  const panic = new Promise((_resolve, reject) => {
    process.on('uncaughtException', reject);
  });
  panic.catch(() => {}); // most of the time nobody is waiting for it
  return panic;
}

function describeError(error) {
  const message = panicMessage === undefined ? error.message : `The schema engine panicked: ${panicMessage}`;
  return {
    code: SERVER_ERROR,
    message: 'An error happened. Check the data field for details.',
    // Prisma would offer to send a report of what is called a panic.
    data: { is_panic: false, message, error_code: error.code },
  };
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}
