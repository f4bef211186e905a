import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { type Context, notCached, signedIn } from '../../platform/context.ts';
import type { Connections, Database } from '../../platform/database.ts';
import { write } from '../../platform/write.ts';
import { parse } from '../../platform/input.ts';
import { keyName, resealRows, seal, unseal } from '../../platform/sealing.ts';
import { attempt, countOfSession } from '../sign-in/attempts.ts';
import { findCredentials } from '../profile/data.ts';
import { changes, waysInChangedMail } from '../../notifications/mails/account-mails.ts';
import { requireRecentAuthentication } from '../sessions/rules.ts';
import { changeWaysIn } from '../recovery/ways-in.ts';
import { enrolmentOf, hashRecoveryCode, newRecoveryCodes, newSecret, stepOf } from './codes.ts';
import * as data from './data.ts';
import * as input from './input.ts';

const purpose = 'secrets of second factors';

/** Whether sign-ins by password need a code. No revision covers it. */
export function isTotpOn(context: Context, userId: string): Promise<boolean> {
  notCached(context);
  return data.hasTotp(context.services.connections, userId);
}

/** An active secret stays until the new one is confirmed. @throws REAUTHENTICATION_REQUIRED */
export async function startTotp(context: Context): Promise<{ secret: string; uri: string }> {
  const viewer = signedIn(context);
  await requireRecentAuthentication(context);
  const [firstKey = ''] = context.services.accounts.secrets;
  const account = await findCredentials(viewer.connections.db, { id: viewer.id });
  const secret = newSecret();
  const sealed = seal(firstKey, purpose, viewer.id, secret);
  await write(viewer, { ids: [viewer.id] }, (tx) => data.startTotp(tx, viewer.id, sealed, keyName(firstKey, purpose)));
  return enrolmentOf(secret, account?.email ?? '');
}

/**
 * Activates the last secret.
 * @returns the recovery codes
 * @throws VALIDATION_FAILED; the tenth wrong code in 15 minutes ends the session
 */
export async function confirmTotp(context: Context, rawInput: z.input<typeof input.factorCode>): Promise<string[]> {
  const viewer = signedIn(context);
  const { code } = parse(input.factorCode, rawInput);
  const confirm = async () => {
    const stored = await data.findTotp(viewer.connections, viewer.id);
    const pending = stored?.pending;
    if (!stored || !pending) throw invalid('code', 'matches no secret: start TOTP first');
    const secret = unsealSecret(context, viewer.id, pending);
    const step = stepOf(secret, code, stored.now);
    if (step === undefined) return null;
    const codes = newRecoveryCodes();
    const hashes = codes.map((each) => hashRecoveryCode(secret, each));
    return changeWaysIn(
      context,
      viewer,
      () => waysInChangedMail(changes.totpOn),
      async (tx) => ((await data.confirmTotp(tx, viewer.id, pending, step, hashes)) ? codes : null),
    );
  };
  const codes = orWrongCode(context, await attempt(context, [codeAttempts(context)], confirm));
  context.services.securityLog.event('authn_factor_change', context, {
    userId: viewer.id,
    factor: 'totp',
    change: 'added',
  });
  return codes;
}

/** Turns TOTP off. @throws VALIDATION_FAILED; the tenth wrong code in 15 minutes ends the session */
export async function disableTotp(context: Context, rawInput: z.input<typeof input.factorCode>): Promise<void> {
  const viewer = signedIn(context);
  const { code } = parse(input.factorCode, rawInput);
  const disable = async () => {
    const factor = await findFactor(context, viewer.id);
    if (!factor) throw invalid('code', 'matches no secret: TOTP is off');
    return changeWaysIn(
      context,
      viewer,
      () => waysInChangedMail(changes.totpOff),
      async (tx) => ((await factor.use(tx, code)) ? data.deleteTotp(tx, viewer.id) : null),
    );
  };
  orWrongCode(context, await attempt(context, [codeAttempts(context)], disable));
  context.services.securityLog.event('authn_factor_change', context, {
    userId: viewer.id,
    factor: 'totp',
    change: 'removed',
  });
}

const codeAttempts = (context: Context) =>
  countOfSession(context, context.services.accounts.limits.factorFailuresOfSession);

function orWrongCode<Result>(context: Context, result: Result | null): Result {
  if (result !== null) return result;
  context.services.securityLog.event('authn_factor_fail', context, { factor: 'totp' });
  throw invalid('code', 'is wrong or already used');
}

/** @throws Error if the operator has removed its key too early */
function unsealSecret({ services }: Context, userId: string, sealed: Uint8Array): Buffer {
  const secret = unseal(services.accounts.secrets, purpose, userId, sealed);
  if (!secret) throw new Error('no SESSION_SECRET of this process decrypts a TOTP secret');
  return secret;
}

export interface Factor {
  /** @returns undefined if the code is wrong or used */
  use(tx: Database, code: string): Promise<UsedCode | undefined>;
}

interface UsedCode {
  recoveryCodesLeft?: number;
}

export async function findFactor(context: Context, userId: string): Promise<Factor | undefined> {
  const stored = await data.findTotp(context.services.connections, userId);
  const sealed = stored?.secret;
  if (!stored || !sealed) return undefined;
  const secret = unsealSecret(context, userId, sealed);
  return {
    async use(tx, code) {
      const step = stepOf(secret, code.trim(), stored.now);
      if (step !== undefined) return (await data.useStep(tx, userId, sealed, step)) ? {} : undefined;
      const recoveryCodesLeft = await data.useRecoveryCode(tx, userId, hashRecoveryCode(secret, code));
      return recoveryCodesLeft === undefined ? undefined : { recoveryCodesLeft };
    },
  };
}

/** Encrypts with the first SESSION_SECRET, so the others can be removed. @returns the number of accounts */
export async function resealSecrets(connections: Connections, secrets: readonly string[]): Promise<number> {
  const [firstKey = ''] = secrets;
  const name = keyName(firstKey, purpose);
  return resealRows(
    (after) => data.findSealedByOthers(connections, name, after),
    ({ userId }) => userId,
    async (row) => {
      const again = (sealed: Uint8Array | null) => {
        const secret = sealed && unseal(secrets, purpose, row.userId, sealed);
        return secret ? seal(firstKey, purpose, row.userId, secret) : undefined;
      };
      const [secret, pending] = [row.secret && again(row.secret), row.pending && again(row.pending)];
      if (secret === undefined || pending === undefined) return false;
      await data.reseal(connections, name, row, { secret, pending });
      return true;
    },
  );
}
