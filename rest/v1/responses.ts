import { z } from 'zod';
import type { EntityKind } from '../../src/kernel/entities.ts';

/** A moment, ISO 8601 in UTC. */
export const moment = () => z.string().meta({ format: 'date-time', examples: ['2026-11-23T09:30:00.000Z'] });

export const count = () => z.int().nonnegative();

/** An id; its prefix names the type. */
export const idOf = (what: string, example: string) =>
  z.string().meta({ description: `Id of the ${what}.`, examples: [example] });

/** The ids of the examples, each of another entity. */
export const exampleIds = {
  task: 'task_01kax2w3zsfq1bq9rm3p2y6x4d',
  project: 'proj_01kax2w3zsfq1bq9rm3p2y6x4e',
  section: 'sect_01kax2w3zsfq1bq9rm3p2y6x4f',
  tag: 'tag_01kax2w3zsfq1bq9rm3p2y6x4g',
  user: 'user_01kax2w3zsfq1bq9rm3p2y6x4h',
  workspace: 'wksp_01kax2w3zsfq1bq9rm3p2y6x4j',
  session: 'sess_01kax2w3zsfq1bq9rm3p2y6x4k',
  invitation: 'invt_01kax2w3zsfq1bq9rm3p2y6x4m',
  delivery: 'dlvr_01kax2w3zsfq1bq9rm3p2y6x4n',
  operation: 'op_01kax2w3zsfq1bq9rm3p2y6x4p',
} as const;

export const exampleIdOf = (kind: EntityKind) => new Map(Object.entries(exampleIds)).get(kind.toLowerCase()) ?? '';

/** Contract, part 2: user (profile). */
export const user = z
  .object({
    id: idOf('user', exampleIds.user),
    name: z.string().nullable().describe('Display name.'),
    email: z
      .string()
      .nullable()
      .meta({ description: 'E-mail address.', examples: ['anna@example.com'] }),
    image: z.string().nullable().describe('URL of the avatar; null where none was uploaded.'),
    isPasswordSet: z.boolean().describe('Whether the account has a password.'),
    isOAuthLinked: z.boolean().describe('Whether an external provider is linked.'),
    provider: z.string().nullable().describe('Name of the linked provider; null where there is none.'),
    createdAt: moment().nullable().describe('When the account was made.'),
  })
  .meta({ id: 'User', description: 'An account, as its user sees it.' });

export const session = z
  .object({
    id: idOf('session; the cookie holds another value', exampleIds.session),
    device: z.string().meta({ description: 'Browser and system.', examples: ['Firefox on Linux'] }),
    createdAt: moment().describe('When it began.'),
    lastUsedAt: moment().describe('When it was last used, to the hour.'),
    current: z.boolean().describe('Whether it is the one that asks.'),
  })
  .meta({ id: 'Session', description: 'A device on which the caller is signed in.' });

export const authCheck = z
  .object({
    isAuthenticated: z.boolean(),
    email: z
      .string()
      .nullish()
      .meta({ description: 'Of the account, where there is a session.', examples: ['anna@example.com'] }),
  })
  .meta({ id: 'AuthCheck', description: 'Whether there is a session, and whose.' });
