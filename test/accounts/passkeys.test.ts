import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Authenticator, type PasskeyOptions } from '../kit/authenticator.ts';
import type { Client } from '../kit/client.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}
const startRegistration = async (user: Client) =>
  (await user.data<{ options: PasskeyOptions }>('mutation { options: startPasskeyRegistration }')).options;
const finishRegistration = (user: Client, response: unknown, name = 'Phone') =>
  user.graphql<{ passkey: Passkey }>(
    `mutation ($response: JSON!, $name: String!) {
      passkey: finishPasskeyRegistration(response: $response, name: $name) { id name createdAt lastUsedAt }
    }`,
    { response, name },
  );
const startSignIn = async () =>
  (await service.anonymous.data<{ options: PasskeyOptions }>('mutation { options: startPasskeySignIn }')).options;
const finishSignIn = (client: Client, response: unknown) =>
  client.graphql('mutation ($response: JSON!) { finishPasskeySignIn(response: $response) { id } }', { response });
const remove = (user: Client, id: string) => user.graphql('mutation ($id: ID!) { deletePasskey(id: $id) }', { id });
const failed = (path: string) => ({ errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path }] } }] });
const passkeysOf = async (user: Client) =>
  (await user.data<{ viewer: { passkeys: Passkey[] } }>('{ viewer { passkeys { id name createdAt lastUsedAt } } }'))
    .viewer.passkeys;

async function register(user: User) {
  const authenticator = new Authenticator(service.url);
  const { data } = await finishRegistration(user, authenticator.create(await startRegistration(user)));
  return { authenticator, id: data?.passkey.id ?? '' };
}

describe('a passkey', () => {
  test('is registered, signs in without a password and TOTP, is listed, and removed', async () => {
    const anna = await signUp(service);
    const options = await startRegistration(anna);
    expect(options).toMatchObject({
      rp: { id: '127.0.0.1', name: 'Taskgate' },
      user: { name: anna.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const authenticator = new Authenticator(service.url);
    const { data } = await finishRegistration(anna, authenticator.create(options), ' Phone ');
    const passkey = data?.passkey;
    expect(passkey).toMatchObject({ id: expect.stringMatching(/^pkey_/), name: 'Phone', lastUsedAt: null });
    expect(await passkeysOf(anna)).toEqual([passkey]);
    expect(await service.mailbox.take(anna.email)).toMatchObject({
      text: expect.stringContaining('“Phone” was added'),
    });
    await service.sql("INSERT INTO totp_factors (user_id, secret, key_name) VALUES ($1, 'x', 'x')", [anna.id]);
    const client = service.client();
    const answer = await finishSignIn(client, authenticator.get(await startSignIn()));
    expect(answer).toEqual({ data: { finishPasskeySignIn: { id: anna.id } } });
    expect(await client.get('/api/v1/user/profile')).toMatchObject({ body: { user: { id: anna.id } } });
    expect(await passkeysOf(client)).toMatchObject([{ lastUsedAt: expect.any(String) }]);
    const secondOptions = await startRegistration(anna);
    expect(secondOptions).toMatchObject({ excludeCredentials: [{ type: 'public-key' }] });
    expect(await finishRegistration(anna, authenticator.create(secondOptions))).toMatchObject(failed('response'));
    const { id } = passkey ?? { id: '' };
    expect(await remove(await signUp(service), id)).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    expect(await remove(anna, id)).toEqual({ data: { deletePasskey: id } });
    expect(await finishSignIn(service.client(), authenticator.get(await startSignIn()))).toMatchObject(
      failed('response'),
    );
  });

  test('answers a challenge once, within five minutes, for its recipient, from the origin of the service, with user verification', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const newAuthenticator = () => new Authenticator(service.url);
    const expectRefusal = async (response: unknown) =>
      expect(await finishRegistration(anna, response)).toMatchObject(failed('response'));
    await expectRefusal(newAuthenticator().create(await startRegistration(ben)));
    await expectRefusal(newAuthenticator().create(await startRegistration(anna), { origin: 'https://evil.example' }));
    await expectRefusal(newAuthenticator().create(await startRegistration(anna), { isVerified: false }));
    await expectRefusal(newAuthenticator().create({ challenge: 'made-up' }));
    await expectRefusal(newAuthenticator().create(await startSignIn()));
    const options = await startRegistration(anna);
    await service.sql("UPDATE pending_sign_ins SET expires_at = expires_at - interval '5 minutes'");
    await expectRefusal(newAuthenticator().create(options));
    expect(await finishRegistration(anna, {})).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });

    const { authenticator } = await register(anna);
    const signIn = (response: unknown) => finishSignIn(service.client(), response);
    const used = authenticator.get(await startSignIn());
    const responses = await Promise.all([signIn(used), signIn(used)]);
    expect(responses.filter(({ errors }) => !errors)).toHaveLength(1);
    for (const choices of [{ origin: 'https://evil.example' }, { isVerified: false }]) {
      expect(await signIn(authenticator.get(await startSignIn(), choices))).toMatchObject(failed('response'));
    }
    expect(await signIn(newAuthenticator().get(await startSignIn()))).toMatchObject(failed('response'));
    const forgedResponse = { ...newAuthenticator().get(await startSignIn()), id: used.id, rawId: used.id };
    expect(await signIn(forgedResponse)).toMatchObject(failed('response'));
    expect(await signIn(authenticator.get(await startRegistration(anna)))).toMatchObject(failed('response'));
  });

  test('signs in only with a response that names its account', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const { authenticator } = await register(anna);
    const handleOf = ({ id }: { id: string }) => Buffer.from(id).toString('base64url');
    const signIn = async (userHandle: unknown) => {
      const response = authenticator.get(await startSignIn(), { userHandle: null });
      const client = service.client();
      const answer = await finishSignIn(client, { ...response, response: { ...response.response, userHandle } });
      return { answer, client };
    };
    const others = [handleOf(ben), handleOf({ id: 'nobody' }), `${handleOf(anna)}=`, anna.id, '', null, undefined];
    for (const userHandle of [...others, 1, {}, [handleOf(anna)]]) {
      const { answer, client } = await signIn(userHandle);
      expect([userHandle, answer]).toMatchObject([
        userHandle,
        { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] },
      ]);
      expect(client.cookie).toBeUndefined();
    }
    expect((await signIn(handleOf(anna))).answer).toEqual({ data: { finishPasskeySignIn: { id: anna.id } } });
  });

  test.each([
    ['not a list', 'internal'],
    ['numbers', [1]],
    ['long strings', ['x'.repeat(33)]],
    ['strings with a NUL character', ['a\0']],
    ['too many', Array.from({ length: 17 }, () => 'usb')],
  ])('refuses transports that are %s', async (_label, transports) => {
    const anna = await signUp(service);
    const response = new Authenticator(service.url).create(await startRegistration(anna), { transports });
    expect(await finishRegistration(anna, response)).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
  });

  test('has an id of up to 1,023 bytes', async () => {
    const anna = await signUp(service);
    const registerWithIdLength = async (length: number) => {
      const authenticator = new Authenticator(service.url, randomBytes(length));
      return finishRegistration(anna, authenticator.create(await startRegistration(anna)));
    };
    expect(await registerWithIdLength(1024)).toMatchObject(failed('response'));
    expect(await registerWithIdLength(4000)).toMatchObject(failed('response'));
    expect(await registerWithIdLength(1023)).toMatchObject({ data: { passkey: { name: 'Phone' } } });
  });

  test('has a public key of up to 4,096 bytes', async () => {
    const anna = await signUp(service);
    const registerWithKeyPadding = async (padding: number) =>
      finishRegistration(anna, new Authenticator(service.url).create(await startRegistration(anna), { padding }));
    expect(await registerWithKeyPadding(4096)).toMatchObject(failed('response'));
    expect(await registerWithKeyPadding(3000)).toMatchObject({ data: { passkey: { name: 'Phone' } } });
  });

  test('is refused in a frame of another origin', async () => {
    const anna = await signUp(service);
    const created = new Authenticator(service.url).create(await startRegistration(anna), { crossOrigin: true });
    expect(await finishRegistration(anna, created)).toMatchObject(failed('response'));
    const { authenticator } = await register(anna);
    const crossOriginResponse = authenticator.get(await startSignIn(), { crossOrigin: true });
    expect(await finishSignIn(service.client(), crossOriginResponse)).toMatchObject(failed('response'));
  });

  test('is registered without a certificate, whose addresses the service would fetch', async () => {
    const anna = await signUp(service);
    const response = new Authenticator(service.url).create(await startRegistration(anna), { isCertified: true });
    expect(await finishRegistration(anna, response)).toMatchObject(failed('response'));
  });

  test('is one of at most fifty, and of two responses to one challenge at once, one is registered', async () => {
    const anna = await signUp(service);
    const options = await startRegistration(anna);
    const registrations = [new Authenticator(service.url), new Authenticator(service.url)].map((each) =>
      each.create(options),
    );
    const answers = await Promise.all(registrations.map((response) => finishRegistration(anna, response)));
    expect(answers.filter(({ errors }) => errors)).toMatchObject([failed('response')]);
    await service.sql(
      `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter)
       SELECT 'pkey ' || $1 || n, $1, 'one of many', 'c' || $1 || n, 'x', 0 FROM generate_series(2, 49) AS n`,
      [anna.id],
    );
    const moreOptions = [await startRegistration(anna), await startRegistration(anna)];
    const last = moreOptions.map((each) => finishRegistration(anna, new Authenticator(service.url).create(each)));
    expect((await Promise.all(last)).filter(({ errors }) => errors)).toMatchObject([failed('')]);
    expect(await anna.graphql('mutation { startPasskeyRegistration }')).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
  });

  test('is refused if its counter does not increase, but not if it never counts', async () => {
    const { authenticator } = await register(await signUp(service));
    const signIn = async (counter: number) =>
      (await finishSignIn(service.client(), authenticator.get(await startSignIn(), { counter }))).errors === undefined;
    for (const [counter, isAccepted] of [
      [0, true],
      [0, true],
      [5, true],
      [5, false],
      [4, false],
      [0, false],
      [6, true],
      // The counter has 32 bits without a sign.
      [2 ** 31, true],
      [2 ** 32 - 1, true],
      [2 ** 32 - 1, false],
    ] as const)
      expect([counter, await signIn(counter)]).toEqual([counter, isAccepted]);
  });

  test('cannot be removed if it is the last way to sign in, also if two are removed at once', async () => {
    const anna = await signUp(service);
    const [one, two] = [await register(anna), await register(anna)];
    await service.sql('UPDATE users SET password_hash = NULL WHERE id = $1', [anna.id]);
    const answers = await Promise.all([remove(anna, one.id), remove(anna, two.id)]);
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    const [last] = await passkeysOf(anna);
    expect(await remove(anna, last?.id ?? '')).toMatchObject(failed('id'));
    expect(await remove(anna, 'nonsense')).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });
});
