import { Prisma } from '../generated/prisma/client.ts';
import type { Credential, Rights, Viewer } from './context.ts';
import { forbidden } from './errors.ts';
import { rightsForMutation } from './token-rights.ts';

// Who may touch a row: the members of its space, as far as their credential allows. The one rule of access, in each form in which it is
// needed.

/** As a Prisma `where` of any model with a space. */
export const inSpacesOf = (viewer: Viewer) => ({ spaceId: { in: viewer.spaceIds } });

/** As a condition in SQL. @param column that has the row's space, with the name of its table where it needs one */
export const isInSpacesOf = (viewer: { spaceIds: readonly string[] }, column = 'space_id'): Prisma.Sql =>
  Prisma.sql`${Prisma.raw(column)} = ANY (${[...viewer.spaceIds]})`;

/** As a Prisma `where` of the spaces themselves. */
export const spacesOf = (viewer: Viewer) => ({ id: { in: viewer.spaceIds } });

/** For a space that is known already. */
export const isMember = (viewer: Viewer, spaceId: string) => viewer.spaceIds.includes(spaceId);

/** As a condition in SQL of memberships: those of the viewer by which they act. @param table the name of `memberships` there */
export const isMembershipOf = ({ id, credential: { spaceIds } }: Viewer, table = 'memberships'): Prisma.Sql => {
  const [userId, spaceId] = [Prisma.raw(`${table}.user_id`), Prisma.raw(`${table}.space_id`)];
  return spaceIds ? Prisma.sql`${userId} = ${id} AND ${spaceId} = ANY (${spaceIds})` : Prisma.sql`${userId} = ${id}`;
};

/** The space that the viewer's tags are in: their own; empty, as no space's id is, where their credential does not reach it. */
export const tagSpaceOf = ({ id, inboxId }: Viewer): string => (inboxId === null ? '' : id);

/** @returns the viewer's inbox @throws FORBIDDEN where their credential does not reach the personal space */
export function requirePersonalSpace({ inboxId }: Viewer): string {
  if (inboxId === null) throw forbidden('This access token does not reach the personal space');
  return inboxId;
}

const order: readonly Rights[] = ['read', 'write', 'all'];

/** Whether a credential has the rights that something needs. */
export const hasRights = ({ rights }: Pick<Credential, 'rights'>, needed: Rights): boolean =>
  order.indexOf(rights) >= order.indexOf(needed);

/** The reason if a credential does not have the rights that something needs. */
export const notPermitted = 'This access token may not do this';

/** @throws FORBIDDEN if a credential does not have the rights that something needs */
export function requireRights(credential: Pick<Credential, 'rights'>, needed: Rights): void {
  if (!hasRights(credential, needed)) throw forbidden(notPermitted);
}

/** Whether a credential may do a mutation, or a change with the same effect. @param mutation its name */
export const mayMutate = (credential: Pick<Credential, 'rights'>, mutation: string): boolean =>
  hasRights(credential, rightsForMutation(mutation));
