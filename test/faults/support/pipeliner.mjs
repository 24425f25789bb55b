// A process that sends many requests on each of some connections without waiting for each response.
// node pipeliner.mjs <port> <connections> <request in base64> <requests at once> <reading: never | always | between>
// A connection opens again when it is closed. It sends again as soon as its bytes are taken or, with `between`, when it has read all
// responses. The process ends with its parent, and reports how many requests it sent and which statuses it read.
import { connect } from 'node:net';

const [port, connections, encoded, count, reading] = process.argv.slice(2);
const bytes = Buffer.from(Buffer.from(encoded, 'base64').toString('latin1').repeat(Number(count)), 'latin1');
const seen = {};
let sent = 0;
let stopping = false;

function open() {
  if (stopping) return;
  // An address of its own: the honest clients have another.
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.2' });
  let missing = 0;
  const pour = () => {
    if (socket.destroyed || stopping) return;
    sent += Number(count);
    missing = Number(count);
    const isTaken = socket.write(bytes);
    if (reading === 'between') return;
    // A write that waits for the drain is one that the service does not take.
    if (isTaken) setTimeout(pour, 10);
    else socket.once('drain', pour);
  };
  socket.on('connect', pour);
  if (reading === 'never') socket.pause();
  else
    socket.on('data', (chunk) => {
      for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
        seen[status] = (seen[status] ?? 0) + 1;
        missing -= 1;
      }
      if (reading === 'between' && missing <= 0) pour();
    });
  socket.on('error', () => undefined);
  socket.on('close', () => setTimeout(open, 5));
}

for (let opened = 0; opened < Number(connections); opened += 1) open();
process.on('disconnect', () => process.exit());
process.on('message', () => {
  stopping = true;
  process.send({ sent, seen }, () => process.exit());
});
