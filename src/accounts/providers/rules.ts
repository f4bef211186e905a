import { randomBytes } from 'node:crypto';
import { invalid, unavailable } from '@taskgate/base';
import { networksOf } from '@taskgate/limits';
import { mapConstraintError } from '@taskgate/postgres';
import type { Database } from '../../platform/database.ts';
import { transaction } from '../../platform/transaction.ts';
import { type Context, notCached, signedIn } from '../../platform/context.ts';
import { notFound } from '../../platform/errors.ts';
import { requireRights } from '../../platform/policy.ts';
import { createInbox } from '../../projects/rules.ts';
import * as accounts from '../profile/data.ts';
import * as input from '../input.ts';
import { insertPending, takePending } from '../sign-in/pending-data.ts';
import * as data from './data.ts';
import { type Flow, type Identity, type Provider, ProviderError } from './provider.ts';
import { changes, waysInChangedMail } from '../../notifications/mails/account-mails.ts';
import { requirePath, withError } from './return-path.ts';
import { requireRecentAuthentication } from '../sessions/rules.ts';
import { completeSignIn, originOf, startSession } from '../sign-in/rules.ts';
import { insertSession } from '../sign-in/data.ts';
import { changeWaysIn, reportChange } from '../recovery/ways-in.ts';

export const providersOf = ({ services }: Context) =>
  [...services.accounts.providers.values()].map(({ options: { name, label } }) => ({ name, label }));

function providerOf({ services }: Context, name: string): Provider {
  const provider = services.accounts.providers.get(name);
  if (!provider) throw notFound('Provider');
  return provider;
}

const flowSeconds = 600;

interface BegunFlow extends Omit<Flow, 'state'> {
  returnTo: string;
  /** Session of the account to link. Null for a sign-in. */
  linkedSessionId: string | null;
}

/** Binds the return to the browser's cookie. */
const keyOf = (provider: string, state: string, browser: string) => ['provider', provider, state, browser];

async function begin(context: Context, name: string, returnTo: string, linkedSessionId: string | null) {
  await context.services.accounts.limits.providerSignInsOfClient.consume(context.clientAddress);
  const { url, flow } = await providerOf(context, name).begin();
  const { state, nonce, verifier } = flow;
  const browser = randomBytes(24).toString('base64url');
  const begun: BegunFlow = { nonce, verifier, returnTo, linkedSessionId };
  await insertPending(context.services.connections, keyOf(name, state, browser), flowSeconds, begun);
  context.session.bindFlow(browser, flowSeconds);
  return url;
}

/**
 * Begins a sign-in.
 * @returns the address at the provider, or the return path with an error
 * @throws NOT_FOUND, VALIDATION_FAILED, FORBIDDEN, RATE_LIMITED
 */
export async function beginSignIn(context: Context, name: string, rawReturnTo: unknown = '/'): Promise<string> {
  if (context.viewer) requireRights(context.viewer.credential, 'all');
  providerOf(context, name);
  const returnTo = requirePath(rawReturnTo, context.publicUrl);
  return begin(context, name, returnTo, null).catch((error: unknown) => failed(context, returnTo, error));
}

/**
 * Begins to link a provider.
 * @returns the address at the provider
 * @throws NOT_FOUND, VALIDATION_FAILED, REAUTHENTICATION_REQUIRED, RATE_LIMITED, UNAVAILABLE
 */
export async function linkProvider(context: Context, name: string, rawReturnTo: unknown): Promise<string> {
  const { credential } = signedIn(context);
  providerOf(context, name);
  const returnTo = requirePath(rawReturnTo ?? '/', context.publicUrl);
  await requireRecentAuthentication(context);
  return begin(context, name, returnTo, credential.id).catch((error: unknown) => {
    if (error instanceof ProviderError) throw unavailable('The provider cannot be reached', 10);
    throw error;
  });
}

function failed(context: Context, returnTo: string, error: unknown): string {
  if (!(error instanceof ProviderError)) throw error;
  context.services.securityLog.event('authn_provider_fail', context, { reason: error.code });
  return withError(returnTo, error.code);
}

interface Return {
  /** Query string with the question mark. */
  search: string;
  /** Value of the flow cookie. */
  browser: string | undefined;
}

/**
 * Completes a sign-in or link.
 * @returns the path to continue at, with an error after a failure
 * @throws NOT_FOUND, RATE_LIMITED, UNAVAILABLE, FORBIDDEN
 */
export async function finishSignIn(context: Context, name: string, { search, browser = '' }: Return): Promise<string> {
  if (context.viewer) requireRights(context.viewer.credential, 'all');
  const { connections } = context.services;
  const provider = providerOf(context, name);
  await context.services.accounts.limits.providerSignInsOfClient.consume(context.clientAddress);
  const state = new URLSearchParams(search).get('state') ?? '';
  const pending = await takePending<BegunFlow>(connections, keyOf(name, state, browser));
  if (!pending) return failed(context, '/', new ProviderError('INVALID_STATE'));
  const { nonce, verifier, returnTo, linkedSessionId } = pending;
  const isNew = async (subject: string) =>
    !(await data.findLinked(connections.db, { issuer: provider.options.issuer, subject }));
  const needsEmail = (subject: string) => (linkedSessionId === null ? isNew(subject) : Promise.resolve(false));
  const finish = async () => {
    const identity = await provider.finish(search, { state, nonce, verifier }, { needsEmail });
    if (linkedSessionId === null) await signInWith(context, provider, identity);
    else await link(context, provider, identity, linkedSessionId);
    return returnTo;
  };
  return finish().catch((error: unknown) => failed(context, returnTo, error));
}

/** Falls back to the name of a removed provider. */
export const labelOf = ({ services }: Context, name: string): string =>
  services.accounts.providers.get(name)?.options.label ?? name;

async function link(context: Context, { options: { name, label } }: Provider, identity: Identity, sessionId: string) {
  const viewer = await context.session.viewer();
  if (viewer?.credential.id !== sessionId) throw new ProviderError('UNAUTHENTICATED');
  const mail = () => waysInChangedMail(changes.providerLinked(label));
  const made = await changeWaysIn(context, viewer, mail, async (tx) => {
    const linked = await data.findLinked(tx, identity);
    if (linked && linked.userId !== viewer.id) throw new ProviderError('ALREADY_LINKED');
    if (linked) return null;
    await data.insertLink(tx, viewer.id, name, identity);
    return identity;
  }).catch(mapConstraintError('duplicate', () => new ProviderError('ALREADY_LINKED')));
  if (made === null) return;
  context.services.securityLog.event('authn_provider_linked', context, { userId: viewer.id, provider: name });
  context.services.notifyChanged({ users: [viewer.id], spaces: [viewer.id] });
}

/** A retry finds the row, or that it is gone. */
class ConcurrentChange extends Error {}

async function signInWith(context: Context, provider: Provider, identity: Identity): Promise<void> {
  const enter = async (tx: Database) => {
    const { account, isMade } = await accountOf(context, tx, provider, identity);
    const { userId } = account;
    const session = await insertSession(tx, { userId, passwordHash: undefined, ...originOf(context, userId) });
    // For the session, it waited until any removal of the account or the link was committed.
    const isLinked = (await data.findLinked(tx, identity))?.userId === userId;
    if (!session || !isLinked) throw new ConcurrentChange();
    return { session, account, isMade };
  };
  const client = { id: networksOf(context.clientAddress) };
  const lock = `subject ${identity.issuer} ${identity.subject}`;
  const entered = () => transaction(context.services.connections, [lock], enter, client);
  const { session, account, isMade } = await entered()
    .catch(mapConstraintError('duplicate', () => new ConcurrentChange()))
    .catch((error: unknown) => {
      if (!(error instanceof ConcurrentChange)) throw error;
      return entered();
    });
  context.services.mailer.wake();
  if (!isMade) return void (await completeSignIn(context, session, account.email));
  context.services.securityLog.event('user_created', context, { userId: account.userId });
  await startSession(context, session);
}

async function accountOf(context: Context, tx: Database, { options }: Provider, identity: Identity) {
  const { name, label, trustEmail } = options;
  const linked = await data.findLinked(tx, identity);
  if (linked) return { account: linked, isMade: false };
  const { data: email } = input.email.safeParse(identity.email);
  if (email === undefined || !identity.isEmailVerified) throw new ProviderError('EMAIL_NOT_VERIFIED');
  const existing = await accounts.findCredentials(tx, { email });
  if (existing && !trustEmail) throw new ProviderError('ACCOUNT_EXISTS');
  const userId = existing?.id ?? (await accounts.createUser(tx, email, null, identity.name));
  if (!existing) await createInbox(tx, userId);
  await data.insertLink(tx, userId, name, identity);
  if (existing) await reportChange(context, tx, existing, waysInChangedMail(changes.providerLinked(label)));
  return { account: { userId, email }, isMade: !existing };
}

/** Lists providers in the order of linking. No revision covers them. */
export function linkedProvidersOf(context: Context, userId: string): Promise<string[]> {
  notCached(context);
  return data.findProviders(context.services.connections, userId);
}

/**
 * Unlinks a provider.
 * @throws REAUTHENTICATION_REQUIRED; NOT_FOUND; VALIDATION_FAILED if it is the last way to sign in
 */
export async function unlinkProvider(context: Context, provider: string): Promise<void> {
  const viewer = signedIn(context);
  await requireRecentAuthentication(context);
  const mail = () => waysInChangedMail(changes.providerUnlinked(labelOf(context, provider)));
  await changeWaysIn(context, viewer, mail, async (tx) => {
    const { wasLinked, hasOther } = await data.deleteLinks(tx, viewer.id, provider);
    if (!wasLinked) throw notFound('Provider');
    if (!hasOther) throw invalid('provider', 'must not be the last way to sign in: set a password first');
    return provider;
  });
  context.services.securityLog.event('authn_provider_unlinked', context, { userId: viewer.id, provider });
}
