import '../../scripts/typescript.js';

/** Starts the PostgreSQL of the run. Test files find it through the environment. */
export default async function globalSetup() {
  const { startTestPostgres } = await import('./postgres.ts');
  globalThis.testPostgres = await startTestPostgres();
}
