import { createServer } from 'node:http';
import { grafserv } from 'grafserv/node';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { DATABASE_URL: connectionString, PORT: port } = process.env;

/** No session, no checks, whole tables: PostGraphile at its best. */
const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  // This plugin would omit subtasks: their index is on the parent only, the foreign key on parent and project.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString, schemas: ['public'], poolConfig: { max: 20 } })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
});

const server = createServer();
await pgl.createServ(grafserv).addTo(server);
await pgl.getSchema();
server.listen(Number(port), '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`postgraphile ready at http://127.0.0.1:${address.port}`);
});
process.once('SIGTERM', () => process.exit(0));
