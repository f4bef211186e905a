import type { ExpiringRows } from '@taskgate/postgres';
import type { Services } from './services.ts';

/** What a module adds to an app, besides its types in the GraphQL schema. `src/modules.ts` lists all modules. */
export interface Module {
  /** Of its folder. */
  name: string;
  /** Rows that are deleted within an hour after nothing needs them. Nothing else is deleted with them. */
  expiring?: Readonly<Record<string, ExpiringRows>>;
  /** Work at intervals, from the start of an app to its stop. */
  background?: (services: Services) => readonly { stop(): void }[];
}

export const defineModule = <const Defined extends Module>(module: Defined): Defined => module;
