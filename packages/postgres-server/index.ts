export { backUp, restore } from './backup.ts';
export { type EmbeddedDatabase, startEmbeddedDatabase } from './embedded.ts';
export { upgrade } from './upgrade.ts';
