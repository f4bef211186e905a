import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engine from '@prisma/schema-engine-wasm/schema_engine_bg';

const { resolve } = createRequire(import.meta.url);

/**
 * Runs a migration as one message to the server, and so as one transaction: the adapter's own way
 * splits at every semicolon, those in functions and comments too, and commits each part.
 */
class MigrationAdapter extends PrismaPg {
  readonly #opened: Awaited<ReturnType<PrismaPg['connect']>>[] = [];

  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => void (await adapter.underlyingDriver().query(script));
    this.#opened.push(adapter);
    return adapter;
  }

  /** Ends the connections, which the engine leaves open. */
  async close() {
    await Promise.all(this.#opened.map((adapter) => adapter.dispose()));
  }
}

/**
 * Runs Prisma's schema engine, compiled to WebAssembly: nothing is downloaded.
 * @param schema text of schema.prisma
 * @returns names of the migrations that were applied
 */
export async function applyMigrations(
  databaseUrl: string,
  schema: string,
  migrationsList: engine.MigrationList,
): Promise<string[]> {
  await loadEngine();
  const connections = new MigrationAdapter({ connectionString: databaseUrl });
  const adapter = bindMigrationAwareSqlAdapterFactory(connections);
  const migrator = await engine.SchemaEngine.new({ datamodels: [['schema.prisma', schema]] }, () => undefined, adapter);
  try {
    const filters = { externalTables: [], externalEnums: [] };
    return (await migrator.applyMigrations({ migrationsList, filters })).appliedMigrationNames;
  } finally {
    migrator.free();
    await connections.close();
  }
}

let loaded: Promise<void> | undefined;

function loadEngine() {
  loaded ??= (async () => {
    const folder = path.dirname(resolve('@prisma/schema-engine-wasm'));
    const module = await WebAssembly.compile(await readFile(path.join(folder, 'schema_engine_bg.wasm')));
    const instance = await WebAssembly.instantiate(module, { './schema_engine_bg.js': { ...engine, ...idleTimers() } });
    engine.__wbg_set_wasm(instance.exports);
    const { __wbindgen_start: start } = instance.exports;
    (start as () => void)();
  })();
  return loaded;
}

/** The engine leaves the timers of its timeouts running: these do not keep the process alive. */
function idleTimers() {
  const setIdleTimer = (callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds).unref();
  const names = Object.keys(engine).filter((name) => name.startsWith('__wbg_setTimeout_'));
  return Object.fromEntries(names.map((name) => [name, setIdleTimer]));
}
