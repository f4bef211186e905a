import { Cancellation } from '@taskgate/work';
import type { Context } from '../../src/platform/context.ts';
import type { Client } from './client.ts';
import type { Service } from './service.ts';

/** The context of a user's operation that runs without a transport. */
export const contextOf = async ({ services, url }: Service, user: Client): Promise<Context> => ({
  services,
  viewer: (await services.accounts.credentials.load('session', user.sessionId))?.viewer ?? null,
  session: {
    id: undefined,
    viewer: () => Promise.resolve(null),
    adopt: () => undefined,
    bindFlow: () => undefined,
    takeFlow: () => undefined,
    end: () => Promise.resolve(),
  },
  requestId: 'test',
  cancellation: new Cancellation(services.deadlines),
  source: { api: 'graphql', transport: 'http' },
  clientAddress: '127.0.0.1',
  userAgent: undefined,
  publicUrl: url,
  pageSize: { default: 50, max: 500 },
});
