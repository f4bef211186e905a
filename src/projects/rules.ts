import type { Database } from '../kernel/database.ts';
import { newId } from '../kernel/ids.ts';

/** Makes the inbox of a new account. */
export async function createInbox(tx: Database, userId: string): Promise<void> {
  const id = newId('Project');
  await tx.project.create({ data: { id, spaceId: userId, name: 'Inbox', slug: id, isDefault: true } });
}
