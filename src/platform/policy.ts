import { invalid } from '@taskgate/base';
import { Prisma } from '../generated/prisma/client.ts';
import type { Credential, Rights, Viewer } from './context.ts';
import { forbidden } from './errors.ts';
import { type Role, roles } from './roles.ts';
import { rightsForMutation } from './token-rights.ts';

// The rule of access: members of a row's space, within the limits of their credential and of their role.

export const isAtLeast = (role: Role, needed: Role): boolean => roles.indexOf(role) >= roles.indexOf(needed);

/** Whether the viewer's role in a space suffices. */
export function hasRole(viewer: Pick<Viewer, 'roles'>, spaceId: string, needed: Role): boolean {
  const role = viewer.roles.get(spaceId);
  return role !== undefined && isAtLeast(role, needed);
}

export const tooLowFor = (needed: Role) => `This needs the role ${needed} in the workspace`;

export const roleTooLow = (needed: Role) => forbidden(tooLowFor(needed));

export const inSpacesOf = (viewer: Viewer) => ({ spaceId: { in: viewer.spaceIds } });

/** @param column the row's space, qualified if needed */
export const isInSpacesOf = (viewer: { spaceIds: readonly string[] }, column = 'space_id'): Prisma.Sql =>
  Prisma.sql`${Prisma.raw(column)} = ANY (${[...viewer.spaceIds]})`;

export const spacesOf = (viewer: Viewer) => ({ id: { in: viewer.spaceIds } });

export const isMember = (viewer: Viewer, spaceId: string) => viewer.spaceIds.includes(spaceId);

/** @param field name of the list @throws VALIDATION_FAILED */
export function requireMember(viewer: Viewer, spaceIds: readonly string[] | null | undefined, field: string): void {
  const foreign = spaceIds?.findIndex((id) => !isMember(viewer, id)) ?? -1;
  if (foreign >= 0) throw invalid(`${field}.${foreign}`, 'must be your own id or the id of one of your workspaces');
}

/** Matches the memberships that the viewer acts by. */
export const isMembershipOf = ({ id, credential: { spaceIds } }: Viewer, table = 'memberships'): Prisma.Sql => {
  const [userId, spaceId] = [Prisma.raw(`${table}.user_id`), Prisma.raw(`${table}.space_id`)];
  return spaceIds ? Prisma.sql`${userId} = ${id} AND ${spaceId} = ANY (${spaceIds})` : Prisma.sql`${userId} = ${id}`;
};

/** Space of the viewer's tags. If the credential does not reach it, '', which matches no space. */
export const tagSpaceOf = ({ id, inboxId }: Viewer): string => (inboxId === null ? '' : id);

/** @returns the id of its inbox @throws FORBIDDEN if the credential does not reach the personal space */
export function requirePersonalSpace({ inboxId }: Viewer): string {
  if (inboxId === null) throw forbidden('This access token does not reach the personal space');
  return inboxId;
}

const order: readonly Rights[] = ['read', 'write', 'all'];

export const hasRights = ({ rights }: Pick<Credential, 'rights'>, needed: Rights): boolean =>
  order.indexOf(rights) >= order.indexOf(needed);

export const notPermitted = 'This access token may not do this';

/** @throws FORBIDDEN */
export function requireRights(credential: Pick<Credential, 'rights'>, needed: Rights): void {
  if (!hasRights(credential, needed)) throw forbidden(notPermitted);
}

/** Whether the credential may run a mutation, or make the same change by other means. */
export const mayMutate = (credential: Pick<Credential, 'rights'>, mutation: string): boolean =>
  hasRights(credential, rightsForMutation(mutation));
