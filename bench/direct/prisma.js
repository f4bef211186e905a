import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { serviceModule } from '../lib/paths.js';

/** @typedef {import('../../src/generated/prisma/client.ts').PrismaClient} PrismaClient */

/**
 * Prisma over the same tables, with the service's generated client.
 * @param {string} service
 * @param {pg.Pool} pool
 * @returns {Promise<PrismaClient>}
 */
export async function connectPrisma(service, pool) {
  const { PrismaClient } = await serviceModule(service, 'src/generated/prisma/client.js');
  return new PrismaClient({ adapter: new PrismaPg(pool) });
}
