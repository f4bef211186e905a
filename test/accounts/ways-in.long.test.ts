import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema, type GraphQLObjectType } from 'graphql';
import { applicationsOf } from '../kit/application.ts';
import { PublicBrowser, makePerson } from '../kit/providers.ts';
import { randomEmail } from '../kit/random.ts';
import { signUp, type User } from '../kit/users.ts';
import { newPassword, publicUrl, WaysIn } from './ways.ts';

let ways: WaysIn;
beforeAll(async () => {
  ways = await WaysIn.open();
});
afterAll(() => ways.close());

type MaybePromise<Value> = Value | Promise<Value>;

interface Change {
  prepare: (user: User) => MaybePromise<() => Promise<unknown>>;
  title: string;
}

const changes: Record<string, Change> = {
  allowApplication: {
    prepare: (user) => () => ways.allowApplication(user),
    title: 'The application “Bot of w. x” of app. example was connected',
  },
  changePassword: {
    prepare: (user) => () =>
      user.graphql(
        'mutation ($from: String, $to: String!) { changePassword(currentPassword: $from, newPassword: $to, confirmNewPassword: $to) { id } }',
        { from: user.password, to: newPassword },
      ),
    title: 'changed the password of your Taskgate account',
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
      const code = await ways.service.mailbox.takeCode(email);
      return () => user.graphql(`mutation { confirmEmailChange(code: "${code}") { id } }`);
    },
    title: 'changed the address of your Taskgate account',
  },
  confirmTotp: { prepare: (user) => ways.startTotp(user), title: 'turned on' },
  createAccessToken: {
    prepare: (user) => () => ways.createToken(user),
    title: 'The access token “Bot of w. x” was made',
  },
  deleteAccount: {
    prepare: (user) => () => user.graphql(`mutation { deleteAccount(password: "${user.password}") }`),
    title: 'deleted your Taskgate account',
  },
  deletePasskey: {
    async prepare(user) {
      const { data } = await ways.addPasskey(user);
      return () => user.graphql(`mutation { deletePasskey(id: "${data?.passkey.id}") }`);
    },
    title: 'The passkey “Key at w. x” was removed',
  },
  disableTotp: {
    async prepare(user) {
      const code = await ways.recoveryCodeOf(user);
      return () => user.graphql(`mutation { disableTotp(code: "${code}") { id } }`);
    },
    title: 'turned off',
  },
  finishPasskeyRegistration: {
    prepare: (user) => () => ways.addPasskey(user),
    title: 'The passkey “Key at w. x” was added',
  },
  linkProvider: { prepare: (user) => ways.startLink(user), title: 'The external provider “Liar & Sons” was linked' },
  resetPassword: {
    async prepare(user) {
      const code = await ways.resetCode(user);
      return () =>
        ways.service.anonymous.graphql(
          `mutation { resetPassword(email: "${user.email}", code: "${code}", password: "${newPassword}") }`,
        );
    },
    title: 'set a new password for your Taskgate account',
  },
  revokeAccessToken: {
    async prepare(user) {
      const { data } = await ways.createToken(user);
      return () => user.graphql(`mutation { revokeAccessToken(id: "${data?.made.accessToken.id}") }`);
    },
    title: 'The access token “Bot of w. x” was revoked',
  },
  revokeApplication: {
    async prepare(user) {
      await ways.allowApplication(user);
      const [application] = await applicationsOf(user);
      return () => user.graphql(`mutation { revokeApplication(id: "${application?.id}") }`);
    },
    title: 'The application “Bot of w. x” was disconnected',
  },
  /** A sign-in by a recovery code, which uses it up. */
  signIn: {
    async prepare(user) {
      const totp = await ways.recoveryCodeOf(user);
      return () =>
        ways.service
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
    title: 'A recovery code was used: 9 are left',
  },
  unlinkProvider: {
    async prepare(user) {
      await ways.link(user);
      return () => user.graphql('mutation { unlinkProvider(provider: "liar") { id } }');
    },
    title: 'The external provider “Liar & Sons” was unlinked',
  },
};

/** A change without a mutation: a trusted external provider links itself. */
const linkedByTrust: Change = {
  async prepare({ email }) {
    ways.liar.person = makePerson({ email });
    const browser = new PublicBrowser(ways.service, publicUrl);
    const callback = await browser.goToCallback('/api/v1/auth/trusted');
    return () => browser.visit(callback);
  },
  title: 'The external provider “trusted” was linked',
};

const cases = Object.entries({ ...changes, 'the sign-in with a trusted provider': linkedByTrust });

const others = `
  acceptInvitation createComment deleteComment updateComment createProject createSection createTag createTask createWorkspace declineInvitation deleteProject deleteSection
  deleteTags deleteTask deleteTasks deleteWorkspace emptyTrash endOtherSessions endSession finishPasskeySignIn inviteToWorkspace
  leaveWorkspace moveTask muteTask readNotifications removeWorkspaceMember requestEmailChange requestPasswordReset requestSignUpCode restore revokeInvitation
  sendTestMail setWorkspaceRole signOut signUp skipOccurrence startPasskeyRegistration startPasskeySignIn startTotp undo updatePreferences updateProfile updateProject
  updateSection updateTag updateTask updateTasks updateWorkspace
  claimTask renewClaim releaseClaim createWebhook deleteWebhook rotateWebhookSecret testWebhook updateWebhook`;

const countNotices = async () => {
  const [row] = await ways.service.sql<{ count: number }>("SELECT count(*)::int FROM deliveries WHERE kind = 'NOTICE'");
  return row?.count ?? 0;
};

test('every mutation is listed: it changes the ways to sign in and is reported, or it does not', async () => {
  const text = await readFile(path.join(import.meta.dirname, '../../schema.graphql'), 'utf8');
  const mutation = buildSchema(text).getType('Mutation') as GraphQLObjectType;
  const coveredMutations = [...Object.keys(changes), ...others.trim().split(/\s+/)];
  expect(Object.keys(mutation.getFields()).sort()).toEqual(coveredMutations.sort());
});

describe('a change of the ways to sign in', () => {
  test.each(cases)('is reported by one mail to its address: %s', async (_name, { prepare, title }) => {
    const user = await signUp(ways.service);
    const change = await prepare(user);
    const [before, count] = [await ways.signInMethodsOf(user), await countNotices()];
    await change();
    expect(await ways.signInMethodsOf(user)).not.toEqual(before);
    expect(await countNotices()).toBe(count + 1);
    expect(await ways.mailWith(title, user.email)).toContain('Network: 127.0.0.1');
  });

  test.each(cases)('is not made without its mail: %s', async (_name, { prepare }) => {
    const user = await signUp(ways.service);
    const change = await prepare(user);
    const before = await ways.signInMethodsOf(user);
    await ways.service.sql(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no mail today'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON deliveries FOR EACH ROW WHEN (NEW.kind = 'NOTICE') EXECUTE FUNCTION refuse()`);
    try {
      await change();
    } finally {
      await ways.service.sql('DROP FUNCTION refuse CASCADE');
    }
    expect(await ways.signInMethodsOf(user)).toEqual(before);
  });

  test('is not reported if it changes nothing', async () => {
    const user = await signUp(ways.service);
    await ways.link(user);
    const count = await countNotices();
    expect((await ways.link(user, ways.liar.person as ReturnType<typeof makePerson>)).location).toBe('/settings');
    for (const mutation of [
      'unlinkProvider(provider: "trusted") { id }',
      'revokeAccessToken(id: "no")',
      'revokeApplication(id: "no")',
      'deletePasskey(id: "no")',
    ])
      expect(await user.graphql(`mutation { ${mutation} }`)).toMatchObject({
        errors: [{ extensions: { code: 'NOT_FOUND' } }],
      });
    expect(await countNotices()).toBe(count);
  });
});
