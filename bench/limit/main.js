import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { listTodos, updateTodos } from './statements.js';

const { DATABASE_URL: databaseUrl, PORT: port } = process.env;

const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });

/** @param {import('node:http').IncomingMessage} request */
async function answer({ method, headers, url = '' }, /** @type {string} */ body) {
  if (method === 'GET') return (await pool.query({ ...listTodos, values: [headers['x-user']] })).rows[0].body;
  const ids = new URL(url, 'http://localhost').searchParams.get('todoIds')?.split(',');
  const { rowCount } = await pool.query({ ...updateTodos, values: [ids, JSON.parse(body).reminder] });
  return JSON.stringify({ todos: rowCount });
}

/** No router, session or checks: the result of one prepared statement is the response. */
const server = createServer({ maxHeaderSize: 128 * 1024 }, async (request, response) => {
  const body = request.method === 'GET' ? '' : await text(request);
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(await answer(request, body));
});

server.listen(Number(port), '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`limit ready at http://127.0.0.1:${address.port}`);
});
process.once('SIGTERM', () => process.exit(0));
