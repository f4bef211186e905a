import { createServer } from 'node:http';
import pg from 'pg';
import { listTodos } from './statements.js';

const { DATABASE_URL: databaseUrl, PORT: port } = process.env;

const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });

/** No router, no session, no checks: one prepared statement, whose text is the answer. */
const server = createServer(async (request, response) => {
  const { rows } = await pool.query({ ...listTodos, values: [request.headers['x-user']] });
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(rows[0].body);
});

server.listen(Number(port), '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`limit ready at http://127.0.0.1:${address.port}`);
});
process.once('SIGTERM', () => process.exit(0));
