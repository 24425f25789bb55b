// The constant answer of `node:http`: the most that a server of one Node process can give.
import { createServer } from 'node:http';

const body = Buffer.from(process.env.BENCH_BODY);
const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length };

const server = createServer((_request, response) => {
  response.writeHead(200, headers).end(body);
});
server.listen(Number(process.env.PORT), process.env.HOST, () => {
  process.stdout.write(`http://localhost:${server.address().port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
