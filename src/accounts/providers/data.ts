import type { Connections, Database } from '../../platform/database.ts';
import type { Identity } from './provider.ts';
import { countWaysIn } from '../recovery/ways-in-data.ts';

interface LinkedAccount {
  userId: string;
  email: string;
}

export async function findLinked(
  database: Database,
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
): Promise<LinkedAccount | undefined> {
  const link = await database.providerLink.findFirst({
    where: { issuer, subject },
    select: { userId: true, user: { select: { email: true } } },
  });
  return link ? { userId: link.userId, email: link.user.email } : undefined;
}

/** Fails if the subject is already linked. */
export async function insertLink(tx: Database, userId: string, provider: string, { issuer, subject }: Identity) {
  await tx.providerLink.create({ data: { issuer, subject, userId, provider }, select: { subject: true } });
  await tx.user.updateMany({ where: { id: userId, provider: null }, data: { provider } });
}

/** Lists providers in the order of their first links. */
export async function findProviders({ db }: Connections, userId: string): Promise<string[]> {
  const rows = await db.providerLink.groupBy({
    by: 'provider',
    where: { userId },
    orderBy: [{ _min: { linkedAt: 'asc' } }, { provider: 'asc' }],
  });
  return rows.map(({ provider }) => provider);
}

export async function deleteLinks(tx: Database, userId: string, provider: string) {
  const { count } = await tx.providerLink.deleteMany({ where: { userId, provider } });
  const first = await tx.providerLink.findFirst({
    where: { userId },
    orderBy: [{ linkedAt: 'asc' }, { provider: 'asc' }],
    select: { provider: true },
  });
  await tx.user.updateMany({ where: { id: userId }, data: { provider: first?.provider ?? null } });
  return { wasLinked: count > 0, hasOther: (await countWaysIn(tx, userId)) > 0 };
}
