import path from 'node:path';
import type pg from 'pg';
import {
  checkDatabase as checkDatabaseFor,
  checkVersion as checkVersionFor,
  migrate as migrateBy,
} from '@taskgate/postgres';
import { packageFolder } from './package.ts';

/** The migrations and functions of this version. */
const folder = path.join(packageFolder, 'prisma');

/** Applies missing migrations. @returns their names @throws as the package's function */
export const migrate = (databaseUrl: string, signal?: AbortSignal): Promise<string[]> =>
  migrateBy(databaseUrl, { folder, signal });

/** Whether a database can be migrated. Changes nothing. @returns its identity @throws as the package's function */
export const checkDatabase = (databaseUrl: string, signal?: AbortSignal): Promise<string> =>
  checkDatabaseFor(databaseUrl, { folder, signal });

/** @throws {StartError} if this version cannot start on the database */
export const checkVersion = (client: pg.Client): Promise<void> => checkVersionFor(client, folder);
