import type { z } from 'zod';
import { invalid, unauthenticated } from '@taskgate/base';
import { networksOf } from '@taskgate/limits';
import { changes, waysInChangedMail } from '../../notifications/mails/account-mails.ts';
import { type Context, notCached, signedIn } from '../../platform/context.ts';
import type { Database } from '../../platform/database.ts';
import { notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { parse } from '../../platform/input.ts';
import { requireMember } from '../../platform/policy.ts';
import { transaction } from '../../platform/transaction.ts';
import * as input from '../input.ts';
import { changeWaysIn, reportChange } from '../recovery/ways-in.ts';
import { addressOf } from '../recovery/ways-in-data.ts';
import { requireRecentAuthentication } from '../sessions/rules.ts';
import { afterTokensEnd } from '../tokens/rules.ts';
import { keyOfClient } from './clients.ts';
import * as data from './data.ts';
import { type ApplicationRequest, readRequest } from './requests.ts';
import { newCode } from './secrets.ts';

export type { Application } from './data.ts';
export type { ApplicationRequest } from './requests.ts';

const maxApplications = 100;

/** Live grants, newest first. No revision covers them. */
export function applicationsOf(context: Context, userId: string): Promise<data.Application[]> {
  notCached(context);
  return data.findApplications(signedIn(context), userId);
}

/** @throws VALIDATION_FAILED if the client or its redirect URI is wrong; UNAUTHENTICATED */
export function requestOf(context: Context, rawQuery: string): ApplicationRequest {
  signedIn(context);
  notCached(context);
  const { secrets } = context.services;
  const query = parse(input.authorizationQuery, rawQuery, 'query');
  const request = readRequest({ secrets, publicUrl: context.publicUrl }, query);
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
    if ((await data.countApplications(tx, viewer.id)) >= maxApplications)
      throw invalid('', `You cannot have more than ${maxApplications} applications: disconnect one first`);
    return data.insertGrant(tx, {
      ...{ id, userId: viewer.id, client: keyOfClient(client), name, redirectHost },
      scopes: scopes.includes('WRITE') ? ['READ', 'WRITE'] : ['READ'],
      spaceIds: spaceIds ? [...new Set(spaceIds)] : null,
    });
  });
  context.services.securityLog.event('authn_token_created', context, { tokenId: id });
  return request.redirectWith({ code: newCode(context.services.accounts.secret, id, request) });
}

/** Ends an application with its tokens, connections and webhooks. @throws NOT_FOUND, UNAUTHENTICATED */
export async function revokeApplication(context: Context, id: string): Promise<void> {
  const viewer = signedIn(context);
  if (!isId('Application', id)) throw notFound('Application');
  // A separate key does not wait for other writes.
  const ended = await transaction(viewer.connections, [id], async (tx) => {
    const tokens = await data.endApplicationOf(tx, viewer, id);
    const grant = tokens?.find((each) => each.id === id);
    if (grant) {
      const mail = waysInChangedMail(changes.applicationRevoked(grant.name));
      await reportChange(context, tx, await addressOf(tx, viewer.id), mail);
    }
    return tokens;
  });
  context.services.mailer.wake();
  if (!ended) throw unauthenticated();
  if (ended.length === 0) throw notFound('Application');
  await afterTokensEnd(ended, context);
}

/** Runs the work of a client, which has no session. */
export const inGrant = <Result>(context: Context, id: string, work: (tx: Database) => Promise<Result>) =>
  transaction(context.services.connections, [id], work, { id: networksOf(context.clientAddress) });
