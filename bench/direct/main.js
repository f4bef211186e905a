import connectPgSimple from 'connect-pg-simple';
import express from 'express';
import session from 'express-session';
import pg from 'pg';
import { peerSessions } from '../lib/session.js';
import { connectPrisma } from './prisma.js';
import { todos } from './todos.js';

const { DATABASE_URL: databaseUrl, SESSION_SECRET: secret = '', SERVICE: service = '', PORT: port } = process.env;

const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
const PgStore = connectPgSimple(session);

const app = express();
app.disable('x-powered-by');
app.use(
  session({
    name: 'sid',
    secret,
    // Reads do not write without touch: the peer at its best.
    store: new PgStore({ pool, tableName: peerSessions, disableTouch: true }),
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax' },
  }),
);
app.use('/api', express.json(), (request, response, next) => {
  if (/** @type {{ userId?: string }} */ (request.session).userId) return next();
  response.status(401).json({ message: 'Sign in first' });
});
app.use('/api/v2/todo', await todos(service, await connectPrisma(service, pool)));

const server = app.listen(Number(port), '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`direct ready at http://127.0.0.1:${address.port}`);
});
process.once('SIGTERM', () => process.exit(0));
