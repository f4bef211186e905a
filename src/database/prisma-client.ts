import type { PrismaClient } from '../generated/prisma/client.ts';

export type Database = Omit<PrismaClient, '$connect' | '$disconnect' | '$on' | '$transaction' | '$use' | '$extends'>;
