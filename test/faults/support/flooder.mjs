// A process that floods a port: so many connections, each of which sends its bytes again and again, or keeps them back.
// node flooder.mjs <port> <connections> <pause in ms> <bytes in base64> [<bytes at a time>]
// It ends with its parent, and then prints how often it sent and what the responses began with.
import { connect } from 'node:net';

const [port, connections, pauseMs, encoded, dripBytes] = process.argv.slice(2);
const bytes = Buffer.from(encoded, 'base64');
const seen = {};
let sent = 0;
let stopping = false;

function open() {
  if (stopping) return;
  let at = 0;
  const socket = connect(Number(port), '127.0.0.1');
  const pour = () => {
    if (socket.destroyed || stopping) return;
    const piece = dripBytes === undefined ? bytes : bytes.subarray(at, (at += Number(dripBytes)));
    if (piece.length === 0) return;
    sent += 1;
    socket.write(piece);
    // Whole requests follow each other's responses: else a flood would outlast itself in the buffers of the kernel.
    if (dripBytes === undefined) socket.once('data', () => setTimeout(pour, Number(pauseMs)));
    else setTimeout(pour, Number(pauseMs));
  };
  socket.on('connect', () => bytes.length > 0 && pour());
  socket.on('data', (response) => {
    for (const [, status] of response.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
      seen[status] = (seen[status] ?? 0) + 1;
    }
  });
  socket.on('error', () => undefined);
  // One that kept its bytes back begins again as slowly.
  socket.on('close', () => setTimeout(open, dripBytes === undefined ? 5 : Number(pauseMs)));
}

for (let opened = 0; opened < Number(connections); opened += 1) setTimeout(open, opened / 10);
process.on('disconnect', () => process.exit());
process.on('message', () => {
  stopping = true;
  process.send({ sent, seen }, () => process.exit());
});
