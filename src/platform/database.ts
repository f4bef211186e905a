import { PrismaPg } from '@prisma/adapter-pg';
import { type CompiledStatements, compiledStatements, nestedReads } from '@taskgate/nested-read';
import { type ConnectionOptions, Postgres, type Reader, type Snapshot } from '@taskgate/postgres';
import { PrismaClient } from '../generated/prisma/client.ts';
import { cacheSizes } from './cache-sizes.ts';
import { type ModelName, models } from './models.ts';

const clientOf = (connections: Postgres, compiled: CompiledStatements) =>
  new PrismaClient({
    adapter: new PrismaPg(connections.pool, { statementNameGenerator: ({ sql }) => connections.nameOf(sql) }),
    errorFormat: 'minimal',
  }).$extends(nestedReads(models, compiled));

/** The Prisma client or one of its transactions. */
export type Database = Omit<
  ReturnType<typeof clientOf>,
  '$connect' | '$disconnect' | '$on' | '$transaction' | '$extends'
>;

interface UntypedReads {
  read(args: object, within: Reader | Snapshot): Promise<object[]>;
  readOne(args: object, within: Reader | Snapshot): Promise<object | null>;
}

/** `Postgres` with the Prisma client. Services and viewers carry it as `connections`. */
export class Connections extends Postgres {
  readonly db: ReturnType<typeof clientOf>;
  readonly compiled: CompiledStatements;
  /** Idempotency keys in use, refused without a connection. */
  readonly keysInUse = new Set<string>();

  constructor(url: string, { statementBytes = cacheSizes().statements, ...options }: DatabaseOptions = {}) {
    super(url, options);
    this.compiled = compiledStatements(statementBytes);
    this.db = clientOf(this, this.compiled);
  }

  /** Nested reads of a model that is known only at run time. Their rows are untyped. */
  readsOf(model: ModelName): UntypedReads {
    return this.db[`${model[0]?.toLowerCase() ?? ''}${model.slice(1)}` as 'task'];
  }

  override async close(): Promise<void> {
    await this.db.$disconnect();
    await super.close();
  }
}

export interface DatabaseOptions extends ConnectionOptions {
  /** Memory for compiled reads. */
  statementBytes?: number;
}

declare module './services.ts' {
  interface Services {
    connections: Connections;
  }
}

declare module './context.ts' {
  interface Viewer {
    /** The source of the viewer, for their reads and writes. */
    connections: Connections;
  }
}
