export { backUp, restore } from './backup.ts';
export { clusterFolder, runStatements, runToEnd, upgraded, urlOf } from './cluster.ts';
export {
  type EmbeddedDatabase,
  holdFolder,
  loadPrograms,
  type Programs,
  startEmbeddedDatabase,
  startHeld,
} from './embedded.ts';
export { clearLeftover } from './leftover.ts';
export { unprivilegedAccount } from './processes.ts';
export { type Endpoint, endpointIn, startServer } from './server.ts';
export { fetchPrograms, releases, upgrade } from './upgrade.ts';
