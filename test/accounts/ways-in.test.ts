import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type GraphQLObjectType, buildSchema } from 'graphql';
import { Secret, TOTP } from 'otpauth';
import { Authenticator, type PasskeyOptions } from '../kit/authenticator.ts';
import { holder, untilWaiting } from '../kit/locks.ts';
import { lyingProvider, PublicBrowser, someone } from '../kit/providers.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

const publicUrl = 'http://127.0.0.1:39767';

let service: Service;
let liar: Awaited<ReturnType<typeof lyingProvider>>;
beforeAll(async () => {
  liar = await lyingProvider('taskgate');
  service = await startService({
    PUBLIC_URL: publicUrl,
    OIDC_LIAR_ISSUER: liar.issuer,
    OIDC_LIAR_CLIENT_ID: 'taskgate',
    OIDC_LIAR_LABEL: 'Liar & Sons',
    OIDC_TRUSTED_ISSUER: liar.issuer,
    OIDC_TRUSTED_CLIENT_ID: 'taskgate',
    OIDC_TRUSTED_TRUST_EMAIL: 'on',
  });
});
afterAll(async () => {
  await service.close();
  await liar.close();
});

const password = 'another password';

const resetCode = async ({ email }: User) => {
  await service.anonymous.data(`mutation { requestPasswordReset(email: "${email}") }`);
  for (;;) {
    const { subject, text } = await service.mailbox.take(email);
    if (subject.endsWith('is your Taskgate code')) return /\b\d{6}\b/.exec(text)?.[0] ?? '';
  }
};

async function addPasskey(user: User, authenticator = new Authenticator(publicUrl)) {
  const { options } = await user.data<{ options: PasskeyOptions }>('mutation { options: startPasskeyRegistration }');
  return user.graphql<{ passkey: { id: string } }>(
    'mutation ($response: JSON!) { passkey: finishPasskeyRegistration(response: $response, name: "Key at w.x") { id } }',
    { response: authenticator.create(options) },
  );
}

async function startTotp(user: User) {
  const { totp } = await user.data<{ totp: { secret: string } }>('mutation { totp: startTotp { secret } }');
  const code = new TOTP({ secret: Secret.fromBase32(totp.secret) }).generate();
  return () =>
    user.graphql<{ totp: { recoveryCodes: string[] } }>(
      `mutation { totp: confirmTotp(code: "${code}") { recoveryCodes } }`,
    );
}

const recoveryCodeOf = async (user: User) => (await (await startTotp(user))()).data?.totp.recoveryCodes[0] ?? '';

const createToken = (user: User) =>
  user.graphql<{ made: { accessToken: { id: string } } }>(
    'mutation { made: createAccessToken(input: { name: "Bot of w.x", scopes: [READ] }) { accessToken { id } } }',
  );

/** Has a browser come back from the provider, to be linked. */
async function linking(user: User) {
  liar.person = someone();
  const browser = new PublicBrowser(service, publicUrl, user.cookie);
  const callback = await browser.goToCallback((await browser.link('liar')).body.url);
  return () => browser.visit(callback);
}

const link = async (user: User) => (await linking(user))();

type MaybePromise<Value> = Value | Promise<Value>;

interface Change {
  /** Prepares a change of the user's ways in. @returns what makes it */
  prepare: (user: User) => MaybePromise<() => Promise<unknown>>;
  /** What the mail about it says. */
  says: string;
}

/** Every way to change the ways into an account, by the mutation that makes or begins it. */
const changes: Record<string, Change> = {
  changePassword: {
    prepare: (user) => () =>
      user.graphql(
        'mutation ($from: String, $to: String!) { changePassword(currentPassword: $from, newPassword: $to, confirmNewPassword: $to) { id } }',
        { from: user.password, to: password },
      ),
    says: 'changed the password of your Taskgate account',
  },
  confirmEmailChange: {
    async prepare(user) {
      const email = randomEmail();
      await user.data(
        'mutation ($email: String!, $password: String) { requestEmailChange(email: $email, password: $password) }',
        {
          email,
          password: user.password,
        },
      );
      const code = await service.mailbox.takeCode(email);
      return () => user.graphql(`mutation { confirmEmailChange(code: "${code}") { id } }`);
    },
    says: 'changed the address of your Taskgate account',
  },
  confirmTotp: { prepare: startTotp, says: 'turned on' },
  createAccessToken: {
    prepare: (user) => () => createToken(user),
    says: 'The access token “Bot of w. x” was made',
  },
  deleteAccount: {
    prepare: (user) => () => user.graphql(`mutation { deleteAccount(password: "${user.password}") }`),
    says: 'deleted your Taskgate account',
  },
  deletePasskey: {
    async prepare(user) {
      const { data } = await addPasskey(user);
      return () => user.graphql(`mutation { deletePasskey(id: "${data?.passkey.id}") }`);
    },
    says: 'The passkey “Key at w. x” was removed',
  },
  disableTotp: {
    async prepare(user) {
      const code = await recoveryCodeOf(user);
      return () => user.graphql(`mutation { disableTotp(code: "${code}") { id } }`);
    },
    says: 'turned off',
  },
  finishPasskeyRegistration: {
    prepare: (user) => () => addPasskey(user),
    says: 'The passkey “Key at w. x” was added',
  },
  linkProvider: { prepare: linking, says: 'The external provider “Liar & Sons” was linked' },
  resetPassword: {
    async prepare(user) {
      const code = await resetCode(user);
      return () =>
        service.anonymous.graphql(
          `mutation { resetPassword(email: "${user.email}", code: "${code}", password: "${password}") }`,
        );
    },
    says: 'set a new password for your Taskgate account',
  },
  revokeAccessToken: {
    async prepare(user) {
      const { data } = await createToken(user);
      return () => user.graphql(`mutation { revokeAccessToken(id: "${data?.made.accessToken.id}") }`);
    },
    says: 'The access token “Bot of w. x” was revoked',
  },
  /** By a recovery code, which is used up. */
  signIn: {
    async prepare(user) {
      const totp = await recoveryCodeOf(user);
      return () =>
        service
          .client()
          .graphql(
            'mutation ($email: String!, $password: String!, $totp: String) { signIn(email: $email, password: $password, totp: $totp) { id } }',
            {
              email: user.email,
              password: user.password,
              totp,
            },
          );
    },
    says: 'A recovery code was used: 9 are left',
  },
  unlinkProvider: {
    async prepare(user) {
      await link(user);
      return () => user.graphql('mutation { unlinkProvider(provider: "liar") { id } }');
    },
    says: 'The external provider “Liar & Sons” was unlinked',
  },
};

/** What no mutation is about: an external provider that is trusted links itself. */
const linkedByTrust: Change = {
  async prepare({ email }) {
    liar.person = someone({ email });
    const browser = new PublicBrowser(service, publicUrl);
    const callback = await browser.goToCallback('/api/v1/auth/trusted');
    return () => browser.visit(callback);
  },
  says: 'The external provider “trusted” was linked',
};

const cases = Object.entries({ ...changes, 'the sign-in with a trusted provider': linkedByTrust });

/** Mutations that leave the ways into every account as they are: they begin or end sessions, make accounts, or are about other things. */
const others = `
  acceptInvitation createProject createSection createTag createTask createWorkspace declineInvitation deleteProject deleteSection
  deleteTags deleteTask deleteTasks deleteWorkspace emptyTrash endOtherSessions endSession finishPasskeySignIn inviteToWorkspace
  leaveWorkspace moveTask removeWorkspaceMember requestEmailChange requestPasswordReset requestSignUpCode restore revokeInvitation
  sendTestMail signOut signUp startPasskeyRegistration startPasskeySignIn startTotp undo updatePreferences updateProfile updateProject
  updateSection updateTag updateTask updateTasks updateWorkspace`;

/** The ways into an account, without what only notes their use. */
const waysInto = ({ id }: User) =>
  service.sql(
    `SELECT u.email, u.password_hash, u.provider,
       (SELECT json_agg(p.id ORDER BY p.id) FROM passkeys p WHERE user_id = $1) AS passkeys,
       (SELECT json_agg(l ORDER BY subject) FROM provider_links l WHERE user_id = $1) AS links,
       (SELECT json_agg(json_build_array(secret, recovery_hashes)) FROM totp_factors WHERE user_id = $1) AS totp,
       (SELECT json_agg(t.id ORDER BY t.id) FROM access_tokens t WHERE user_id = $1 AND coalesce(expires_at, 'infinity') > now()) AS tokens
     FROM users u WHERE id = $1`,
    [id],
  );

const countNotices = async () => {
  const [row] = await service.sql<{ count: number }>("SELECT count(*)::int FROM deliveries WHERE kind = 'NOTICE'");
  return row?.count ?? 0;
};

test('every mutation either changes the ways into an account, and is reported, or is known not to', async () => {
  const text = await readFile(path.join(import.meta.dirname, '../../schema.graphql'), 'utf8');
  const mutation = buildSchema(text).getType('Mutation') as GraphQLObjectType;
  const known = [...Object.keys(changes), ...others.trim().split(/\s+/)];
  expect(Object.keys(mutation.getFields()).sort()).toEqual(known.sort());
});

describe('a change of the ways into an account', () => {
  test.each(cases)('is reported by one mail to its address: %s', async (_name, { prepare, says }) => {
    const user = await signUp(service);
    const change = await prepare(user);
    const [before, count] = [await waysInto(user), await countNotices()];
    await change();
    expect(await waysInto(user)).not.toEqual(before);
    expect(await countNotices()).toBe(count + 1);
    await service.services.mailer.drain();
    let mail = await service.mailbox.take(user.email);
    while (!mail.text.replaceAll(/\s+/g, ' ').includes(says)) mail = await service.mailbox.take(user.email);
    expect(mail.text).toContain('Network: 127.0.0.1');
  });

  test.each(cases)('is not made without its mail: %s', async (_name, { prepare }) => {
    const user = await signUp(service);
    const change = await prepare(user);
    const before = await waysInto(user);
    await service.sql(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no mail today'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON deliveries FOR EACH ROW WHEN (NEW.kind = 'NOTICE') EXECUTE FUNCTION refuse()`);
    try {
      await change();
    } finally {
      await service.sql('DROP FUNCTION refuse CASCADE');
    }
    expect(await waysInto(user)).toEqual(before);
  });

  test('is not reported if it changes nothing', async () => {
    const user = await signUp(service);
    await link(user);
    const count = await countNotices();
    const { person } = liar;
    const browser = new PublicBrowser(service, publicUrl, user.cookie);
    const callback = await browser.goToCallback((await browser.link('liar')).body.url);
    expect(liar.person).toBe(person);
    expect((await browser.visit(callback)).location).toBe('/settings');
    for (const mutation of [
      'unlinkProvider(provider: "trusted") { id }',
      'revokeAccessToken(id: "no")',
      'deletePasskey(id: "no")',
    ])
      expect(await user.graphql(`mutation { ${mutation} }`)).toMatchObject({
        errors: [{ extensions: { code: 'NOT_FOUND' } }],
      });
    expect(await countNotices()).toBe(count);
  });
});

describe('the reset of a password', () => {
  const resetBy = async (user: User, endOtherWaysIn?: boolean | null) => {
    const body = { email: user.email, code: await resetCode(user), password, endOtherWaysIn };
    expect(await service.anonymous.post('/api/v1/user/password/reset', body)).toMatchObject({ status: 200 });
    let mail = await service.mailbox.take(user.email);
    while (!mail.subject.endsWith('was reset')) mail = await service.mailbox.take(user.email);
    return mail.text;
  };
  const withOtherWays = async () => {
    const user = await signUp(service);
    const authenticator = new Authenticator(publicUrl);
    await addPasskey(user, authenticator);
    await link(user);
    await createToken(user);
    await recoveryCodeOf(user);
    return { user, authenticator };
  };
  const left = async (user: User) => {
    const [row] = await waysInto(user);
    return Object.entries(row ?? {}).flatMap(([name, value]) => (value === null ? [] : [name]));
  };
  const kept = ['email', 'password_hash', 'totp'];

  test.each([undefined, null, false])(
    'keeps the other ways in by default (%p), and its mail lists them',
    async (option) => {
      const { user } = await withOtherWays();
      const text = await resetBy(user, option);
      expect(text).toContain(
        'These other ways to sign in remain\n- Passkey “Key at w. x”\n- External provider “Liar & Sons”\n\nIf you do not know one',
      );
      expect((await left(user)).sort()).toEqual([...kept, 'provider', 'passkeys', 'links'].sort());
    },
  );

  test('ends them if asked, and its mail lists what has ended', async () => {
    const { user, authenticator } = await withOtherWays();
    const text = await resetBy(user, true);
    expect(text).toContain(
      'These other ways to sign in have ended\n- Passkey “Key at w. x”\n- External provider “Liar & Sons”\n\nIf it was not you',
    );
    expect((await left(user)).sort()).toEqual(kept);
    const { options } = await service.anonymous.data<{ options: PasskeyOptions }>(
      'mutation { options: startPasskeySignIn }',
    );
    const finish = 'mutation ($response: JSON!) { finishPasskeySignIn(response: $response) { id } }';
    expect(await service.client().graphql(finish, { response: authenticator.get(options) })).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
    liar.person = { ...liar.person, email: user.email, email_verified: true };
    expect(await new PublicBrowser(service, publicUrl).signIn('liar')).toBe('/home?error=ACCOUNT_EXISTS');
  });

  test('says nothing of other ways in if there are none', async () => {
    expect(await resetBy(await signUp(service), true)).not.toContain('other ways');
  });

  test('takes nothing but true and false', async () => {
    const user = await signUp(service);
    const body = { email: user.email, code: await resetCode(user), password, endOtherWaysIn: 'yes' };
    expect(await service.anonymous.post('/api/v1/user/password/reset', body)).toMatchObject({
      status: 400,
      body: { errors: [{ path: 'endOtherWaysIn' }] },
    });
  });

  test('ends what a session of the account adds at that moment', async () => {
    const [user, other] = [await signUp(service), await signUp(service)];
    const code = await resetCode(user);
    const id = randomBytes(16);
    // It is registered already, unless this transaction is rolled back: until then the passkey waits.
    const held = await holder(service);
    await held.sql(
      `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, counter) VALUES ($1, $1, 'x', $2, 'x', 0)`,
      [other.id, id.toString('base64url')],
    );
    const adding = addPasskey(user, new Authenticator(publicUrl, id));
    await untilWaiting(service, 1);
    const resetting = service.anonymous.graphql(
      `mutation { resetPassword(email: "${user.email}", code: "${code}", password: "${password}", endOtherWaysIn: true) }`,
    );
    await Promise.race([resetting, untilWaiting(service, 2)]);
    await held.sql('DELETE FROM passkeys WHERE id = $1', [other.id]);
    await held.release();
    expect(await adding).toMatchObject({ data: { passkey: {} } });
    expect(await resetting).toEqual({ data: { resetPassword: true } });
    expect((await left(user)).sort()).toEqual(['email', 'password_hash']);
  });
});
