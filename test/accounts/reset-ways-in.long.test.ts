import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Authenticator, type PasskeyOptions } from '../kit/authenticator.ts';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import { makePerson, PublicBrowser } from '../kit/providers.ts';
import { signUp, type User } from '../kit/users.ts';
import { newPassword, publicUrl, WaysIn } from './ways.ts';

let ways: WaysIn;
beforeAll(async () => {
  ways = await WaysIn.open();
});
afterAll(() => ways.close());

describe('a password reset', () => {
  const resetBy = async (user: User, endOtherWaysIn?: boolean | null) => {
    const body = { email: user.email, code: await ways.resetCode(user), password: newPassword, endOtherWaysIn };
    expect(await ways.service.anonymous.post('/api/v1/user/password/reset', body)).toMatchObject({ status: 200 });
    return ways.mailWith('was reset', user.email);
  };
  const signUpWithOtherMethods = async () => {
    const user = await signUp(ways.service);
    const authenticator = new Authenticator(publicUrl);
    await ways.addPasskey(user, authenticator);
    await ways.link(user);
    await ways.createToken(user);
    await ways.recoveryCodeOf(user);
    return { user, authenticator };
  };
  const remainingMethods = async (user: User) => {
    return Object.entries((await ways.signInMethodsOf(user)) ?? {}).flatMap(([name, value]) =>
      value === null ? [] : [name],
    );
  };
  const keptMethods = ['email', 'password_hash', 'totp'];

  test.each([undefined, null, false])(
    'keeps the other ways to sign in by default (%p), and its mail lists them',
    async (option) => {
      const { user } = await signUpWithOtherMethods();
      const text = await resetBy(user, option);
      expect(text).toContain(
        'These other ways to sign in remain\n- Passkey “Key at w. x”\n- External provider “Liar & Sons”\n\nIf you do not know one',
      );
      expect((await remainingMethods(user)).sort()).toEqual([...keptMethods, 'provider', 'passkeys', 'links'].sort());
    },
  );

  test('ends them on request, and its mail lists the ended ones', async () => {
    const { user, authenticator } = await signUpWithOtherMethods();
    const text = await resetBy(user, true);
    expect(text).toContain(
      'These other ways to sign in have ended\n- Passkey “Key at w. x”\n- External provider “Liar & Sons”\n\nIf it was not you',
    );
    expect((await remainingMethods(user)).sort()).toEqual(keptMethods);
    const { options } = await ways.service.anonymous.data<{ options: PasskeyOptions }>(
      'mutation { options: startPasskeySignIn }',
    );
    const finish = 'mutation ($response: JSON!) { finishPasskeySignIn(response: $response) { id } }';
    expect(await ways.service.client().graphql(finish, { response: authenticator.get(options) })).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
    ways.liar.person = { ...ways.liar.person, email: user.email, email_verified: true };
    expect(await new PublicBrowser(ways.service, publicUrl).signIn('liar')).toBe('/home?error=ACCOUNT_EXISTS');
  });

  test('has no list of other ways to sign in if there are none', async () => {
    expect(await resetBy(await signUp(ways.service), true)).not.toContain('other ways');
  });

  test('accepts only true and false', async () => {
    const user = await signUp(ways.service);
    const body = { email: user.email, code: await ways.resetCode(user), password: newPassword, endOtherWaysIn: 'yes' };
    expect(await ways.service.anonymous.post('/api/v1/user/password/reset', body)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'endOtherWaysIn' }] },
    });
  });

  test('ends credentials that a session adds at that moment', async () => {
    const [user, other] = [await signUp(ways.service), await signUp(ways.service)];
    const code = await ways.resetCode(user);
    const id = randomBytes(16);
    // An open transaction holds the same credential id, so the insert of the passkey waits for it.
    const lockHolder = await openLockHolder(ways.service);
    await lockHolder.sql(
      `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter) VALUES ($1, $1, 'x', $2, 'x', 0)`,
      [other.id, id.toString('base64url')],
    );
    const adding = ways.addPasskey(user, new Authenticator(publicUrl, id));
    await untilWaiting(ways.service, 1);
    const reset = ways.service.anonymous.graphql(
      `mutation { resetPassword(email: "${user.email}", code: "${code}", password: "${newPassword}", endOtherWaysIn: true) }`,
    );
    await untilWaiting(ways.service, 2);
    await lockHolder.sql('DELETE FROM passkeys WHERE id = $1', [other.id]);
    await lockHolder.release();
    expect(await adding).toMatchObject({ data: { passkey: {} } });
    expect(await reset).toEqual({ data: { resetPassword: true } });
    expect((await remainingMethods(user)).sort()).toEqual(['email', 'password_hash']);
  });

  test('lets nobody in by a provider that it ends at that moment', async () => {
    const [user, person] = [await signUp(ways.service), makePerson({ email_verified: false })];
    await ways.link(user, person);
    ways.liar.person = person;
    const browser = new PublicBrowser(ways.service, publicUrl);
    const callback = await browser.goToCallback('/api/v1/auth/liar?returnTo=/home');
    const code = await ways.resetCode(user);
    // The reset has ended the sessions, and waits before it deletes the link.
    const lockHolder = await openLockHolder(ways.service);
    await lockHolder.sql('SELECT FROM provider_links WHERE user_id = $1 FOR UPDATE', [user.id]);
    const reset = ways.service.anonymous.graphql(
      `mutation { resetPassword(email: "${user.email}", code: "${code}", password: "${newPassword}", endOtherWaysIn: true) }`,
    );
    await untilWaiting(ways.service, 1);
    const visited = browser.visit(callback);
    await untilWaiting(ways.service, 2);
    await lockHolder.release();
    expect(await reset).toEqual({ data: { resetPassword: true } });
    expect((await visited).location).toBe('/home?error=EMAIL_NOT_VERIFIED');
    expect(browser.cookie).toBeUndefined();
  });
});
