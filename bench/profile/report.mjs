// Where the time of a CPU profile went.

/**
 * @typedef {object} Share
 * @property {string} name
 * @property {number} self part of the busy time, 0 to 1, spent in it alone
 * @property {number} total the same with what it called
 */

/** Also `dispatch`: the inspector itself, while it starts the profile. */
const IDLE = new Set(['(idle)', '(root)', 'dispatch']);

/**
 * What hands bytes to the system. Most of its time is the system's: it copies, wakes the reader, and on a machine with
 * few cores lets the reader go first. So it is told apart, and hides nothing of the rest.
 */
const WRITES = new Set(['writev', 'writeBuffer', 'writeUtf8String', 'writeLatin1String', 'writeAsciiString']);

/**
 * Sums up a profile as V8 writes it. Shares are of the time that is neither idle nor spent in writes to sockets.
 *
 * @param {any} profile the JSON of a `.cpuprofile`
 * @returns {{ idle: number, writing: number, functions: Share[], places: Share[] }} the first two are parts of the whole time
 */
export function sumUp(profile) {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const self = new Map();
  let whole = 0;
  profile.samples.forEach((id, index) => {
    const time = profile.timeDeltas[index];
    whole += time;
    self.set(id, (self.get(id) ?? 0) + time);
  });
  const spent = (names) =>
    [...self].reduce(
      (sum, [id, time]) => (names.has(nodes.get(id).callFrame.functionName) ? sum + time : sum),
      0,
    );
  const idle = spent(IDLE);
  const writing = spent(WRITES);
  const rest = whole - idle - writing;
  const sumBy = (nameOf) => tally(profile.nodes[0], nodes, self, rest, nameOf);
  return {
    idle: idle / whole,
    writing: writing / whole,
    functions: sumBy(nameOfFunction),
    places: sumBy(nameOfPlace),
  };
}

/** Self and total time by name. In the total a name counts once for each stack, however often it is on it. */
function tally(root, nodes, self, whole, nameOf) {
  const shares = new Map();
  const shareOf = (name) => {
    const share = shares.get(name) ?? { name, self: 0, total: 0 };
    shares.set(name, share);
    return share;
  };
  const walk = (node, above) => {
    const { functionName } = node.callFrame;
    if (IDLE.has(functionName) || WRITES.has(functionName)) return;
    const name = nameOf(node);
    const time = (self.get(node.id) ?? 0) / whole;
    const on = above.has(name) ? above : new Set([...above, name]);
    shareOf(name).self += time;
    for (const one of on) shareOf(one).total += time;
    for (const child of node.children ?? []) walk(nodes.get(child), on);
  };
  for (const child of root.children ?? []) walk(nodes.get(child), new Set());
  return [...shares.values()].sort((one, other) => other.self - one.self);
}

function nameOfFunction(node) {
  const { functionName, lineNumber } = node.callFrame;
  const file = fileOf(node);
  const name = functionName === '' ? '(anonymous)' : functionName;
  return file === '' ? name : `${name} ${file}:${lineNumber + 1}`;
}

/** The package, the file of the service, the module of Node, or what the engine does itself. */
function nameOfPlace(node) {
  const file = fileOf(node);
  if (file !== '') return /^(?:@[^/]+\/)?[^/]+(?= )/.exec(file)?.[0] ?? file;
  const { functionName } = node.callFrame;
  return functionName.startsWith('(') ? functionName : '(native functions)';
}

/** Short and readable: `pg lib/client.js`, `dist/http/server/pipeline.js`, `node:net`. */
function fileOf({ callFrame: { url } }) {
  const inPackage = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(url);
  if (inPackage !== null) return `${inPackage[1]} ${inPackage[2]}`;
  return url.replace(/^.*\/dist\//, 'dist/').replace(/^.*\/bench\//, 'bench/');
}
