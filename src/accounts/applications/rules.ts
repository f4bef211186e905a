import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { changes, waysInChangedMail } from '../../notifications/mails/account-mails.ts';
import { type Context, notCached, signedIn } from '../../platform/context.ts';
import { newId } from '../../platform/ids.ts';
import { parse } from '../../platform/input.ts';
import { requireMember } from '../../platform/policy.ts';
import * as input from '../input.ts';
import { changeWaysIn } from '../recovery/ways-in.ts';
import { requireRecentAuthentication } from '../sessions/rules.ts';
import { requireRoom } from '../tokens/rules.ts';
import { keyOfClient } from './clients.ts';
import { insertGrant } from './data.ts';
import { type ApplicationRequest, readRequest } from './requests.ts';

/** @throws VALIDATION_FAILED if the client or its redirect URI is wrong; UNAUTHENTICATED */
export function requestOf(context: Context, rawQuery: string): ApplicationRequest {
  signedIn(context);
  notCached(context);
  const query = parse(input.authorizationQuery, rawQuery, 'query');
  const request = readRequest(context.services.accounts, context.publicUrl, query);
  if (!request) throw invalid('query', 'must have the client_id of a registered client and one of its redirect URIs');
  return request;
}

/**
 * Lets an application in, for the request of its browser.
 * @returns the URL for the browser, with a code
 * @throws REAUTHENTICATION_REQUIRED; VALIDATION_FAILED, also at 100 applications; UNAUTHENTICATED
 */
export async function allowApplication(
  context: Context,
  rawInput: z.input<typeof input.allowApplication>,
): Promise<string> {
  const viewer = signedIn(context);
  await requireRecentAuthentication(context);
  const { query, scopes, spaceIds } = parse(input.allowApplication, rawInput);
  const request = requestOf(context, query);
  if (request.redirectTo !== null) throw invalid('query', 'must be a request without a fault');
  const excess = scopes.findIndex((scope) => !request.scopes.includes(scope));
  if (excess >= 0) throw invalid(`scopes.${excess}`, 'must be a scope that the application asks for');
  requireMember(viewer, spaceIds, 'spaceIds');
  const { name, redirectHost, client } = request;
  const id = newId('Application');
  const mail = () => waysInChangedMail(changes.applicationAllowed(name, redirectHost));
  await changeWaysIn(context, viewer, mail, async (tx) => {
    await requireRoom(tx, viewer, 'application');
    return insertGrant(tx, {
      ...{ id, userId: viewer.id, client: keyOfClient(client), name, redirectHost },
      scopes: scopes.includes('WRITE') ? ['READ', 'WRITE'] : ['READ'],
      spaceIds: spaceIds ? [...new Set(spaceIds)] : null,
    });
  });
  context.services.securityLog.event('authn_token_created', context, { tokenId: id });
  return request.redirectWithCode(id);
}
