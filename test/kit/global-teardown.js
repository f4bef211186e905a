import '../../scripts/typescript.js';

export default async function globalTeardown() {
  const { endWorker } = await import('./worker-end.ts');
  await endWorker();
  await globalThis.testPostgres.stop();
}
