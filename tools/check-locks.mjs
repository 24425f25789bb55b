// npm run check -- locks: every package of the lock files has a checksum, so that npm rejects other bytes under its version.
import { readFileSync } from 'node:fs';

const faults = ['', 'tools/', 'bench/', 'examples/react/', 'examples/mcp/'].flatMap((folder) => {
  const { packages } = JSON.parse(readFileSync(`${folder}package-lock.json`, 'utf8'));
  return (
    Object.entries(packages)
      // The project itself and the client are folders.
      .filter(([path]) => path.startsWith('node_modules/'))
      .filter(([, { link, integrity }]) => link !== true && integrity === undefined)
      .map(
        ([path]) =>
          `${folder}package-lock.json: ${path} has no integrity: npm view NAME@VERSION dist.integrity`,
      )
  );
});
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
console.log('every package of the lock files has a checksum');
