#!/usr/bin/env node
// Stands in for Prisma's native schema engine, which Prisma would download from a host of its own: the same engine
// from the npm package @prisma/schema-engine-wasm, over the project's database driver. Prisma starts this file
// through PRISMA_SCHEMA_ENGINE_BINARY (tools/prisma.mjs) and speaks to it as to the native one.
import { runDatabaseCommand } from './schema-engine/database-commands.mjs';
import { serveRequests } from './schema-engine/requests.mjs';

const request = parseArguments(process.argv.slice(2));
if (request.version) {
  process.stdout.write('schema-engine over WebAssembly\n');
} else if (request.command !== undefined) {
  process.exitCode = await runDatabaseCommand(request.command, request.url);
} else {
  serveRequests(request);
}

/** Reads the native engine's arguments; what this engine has no use for is skipped with its value. */
function parseArguments(words) {
  const found = { version: false, command: undefined, url: undefined, schemaFiles: [] };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    if (word === '--version') {
      found.version = true;
      continue;
    }
    index += 1;
    const value = words[index];
    if (word === '--datamodels') found.schemaFiles.push(value);
    else if (word === '--datasource') found.url = JSON.parse(value).url;
    else if (word === 'cli') found.command = value;
  }
  return found;
}
