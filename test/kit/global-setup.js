import '../../scripts/typescript.js';

/** Starts the one PostgreSQL of the run; the test files find it by the environment. */
export default async function globalSetup() {
  const { startTestPostgres } = await import('./postgres.ts');
  globalThis.testPostgres = await startTestPostgres();
}
