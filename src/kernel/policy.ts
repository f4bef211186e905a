import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from './context.ts';

// Who may touch a row: the members of its space. The one rule of access, in each form in which it is asked for.

/** As a Prisma `where` of any model with a space. */
export const inSpacesOf = (viewer: Viewer) => ({ spaceId: { in: viewer.spaceIds } });

/** As a condition in SQL. @param column that has the row's space, with the name of its table where it needs one */
export const isInSpacesOf = (viewer: Viewer, column = 'space_id'): Prisma.Sql =>
  Prisma.sql`${Prisma.raw(column)} = ANY (${viewer.spaceIds})`;

/** As a Prisma `where` of the spaces themselves. */
export const spacesOf = (viewer: Viewer) => ({ id: { in: viewer.spaceIds } });

/** For a space that is known already. */
export const isMember = (viewer: Viewer, spaceId: string) => viewer.spaceIds.includes(spaceId);
