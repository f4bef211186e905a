import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { openPage, type WatchedPage } from '../kit/browser.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { Program } from '../kit/program.ts';
import { honestProvider, lyingProvider, type Person, makePerson } from '../kit/providers.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';

/** Browsers make passkeys for names only, not for IP addresses. */
const publicUrl = 'http://localhost:39745';
const password = 'correct horse battery';

interface Workspaces {
  workspaces: { id: string; name: string }[];
}

/** The story of one user: each test continues from the one before. */
describeWithBrowser('a user of the console in Chromium', () => {
  let service: Service;
  let watchedPage: WatchedPage;
  let page: WatchedPage['page'];
  const providers = new Map<string, { issuer: string; person: Person; close: () => Promise<void> }>();
  const people = ['One', 'Two', 'Three'].map((name) => ({ ...makePerson(), name }));
  const [, , me = makePerson()] = people;
  let secret = '';

  const withPerson = (provider: string, person: Person) => Object.assign(providers.get(provider) ?? {}, { person });
  const button = (name: string, within = page.locator('body')) =>
    within.getByRole('button', { name, exact: true }).click();
  const part = (name: string) => page.getByRole('region', { name, exact: true });
  const signOut = async () => {
    await button('Account');
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };
  const expectSignedIn = async () => {
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(await page.evaluate("localStorage.getItem('taskgate:account')")).toContain(me.email);
  };
  /** The code, some steps of 30 seconds from now. Each code works once. */
  const totp = (steps: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
  const submitSignIn = async (given = password) => {
    await page.getByLabel('E-mail').fill(me.email);
    await page.getByLabel('Password').fill(given);
    await button('Sign in');
  };

  beforeAll(async () => {
    const redirectUri = (name: string) => () => `${publicUrl}/api/v1/auth/${name}/callback`;
    providers.set('one', await honestProvider({ id: 'taskgate', secret: 'one', redirectUri: redirectUri('one') }));
    providers.set('two', await honestProvider({ id: 'taskgate', redirectUri: redirectUri('two') }));
    providers.set('three', await lyingProvider('taskgate'));
    const variables: Record<string, string> = { PUBLIC_URL: publicUrl, OIDC_ONE_CLIENT_SECRET: 'one' };
    for (const [name, { issuer }] of providers) {
      variables[`OIDC_${name.toUpperCase()}_ISSUER`] = issuer;
      variables[`OIDC_${name.toUpperCase()}_CLIENT_ID`] = 'taskgate';
    }
    service = await startService(variables);
    watchedPage = await openPage(publicUrl, undefined, service.url);
    ({ page } = watchedPage);
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
    for (const provider of providers.values()) await provider.close();
  });

  test('signs in with each of three providers, and shows the reason of a refusal', async () => {
    await page.goto(publicUrl);
    for (const [index, name] of ['one', 'two', 'three'].entries()) {
      withPerson(name, people[index] ?? me);
      await button(`Continue with ${name}`);
      await page.getByRole('heading', { name: 'Today' }).waitFor();
      expect(await page.evaluate("localStorage.getItem('taskgate:account')")).toContain(people[index]?.email);
      await signOut();
    }
    await page.context().clearCookies();
    withPerson('one', { ...makePerson(), email: me.email });
    await button('Continue with one');
    await page.getByRole('alert').filter({ hasText: 'already have an account' }).waitFor();
    await button('Continue with three');
    await expectSignedIn();
  });

  test('links another provider, and shows the reason of a refusal', async () => {
    await page.goto(`${publicUrl}/settings/security`);
    const row = part('Linked providers').getByRole('listitem').filter({ hasText: 'one' });
    await page.context().clearCookies({ domain: '127.0.0.1' });
    withPerson('one', people[0] ?? me);
    await button('Link', row);
    const refusal = page.getByRole('alert').filter({ hasText: 'This sign-in is already linked to another account.' });
    await button('Dismiss', refusal);
    await refusal.waitFor({ state: 'detached' });
    await page.context().clearCookies({ domain: '127.0.0.1' });
    withPerson('one', makePerson());
    await button('Link', row);
    await row.getByRole('button', { name: 'Unlink', exact: true }).waitFor();
  });

  test('signs in by a mailed code and a new password, and again when that is lost', async () => {
    await page.goto(publicUrl);
    for (const each of ['one that is lost', password]) {
      await signOut();
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByLabel('E-mail').fill(me.email);
      await button('Send code');
      await page.getByLabel('Code').fill(await service.mailbox.takeCode(me.email));
      await page.getByLabel('New password').fill(each);
      await button('Set password');
      await page
        .getByRole('status')
        .getByText('Your password has been changed. Sign in with the new password.')
        .waitFor();
      await page.getByRole('link', { name: 'Back to sign in' }).click();
      if (each === password) {
        await submitSignIn('one that is lost');
        await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
      }
      await submitSignIn(each);
      await expectSignedIn();
      await service.mailbox.take(me.email);
    }
  });

  test('turns on TOTP and a passkey', async () => {
    await page.goto(`${publicUrl}/settings/security`);
    const app = part('Authenticator app');
    await button('Set up', app);
    await app.getByRole('img', { name: 'QR code' }).waitFor();
    secret = (await app.locator('code').textContent()) ?? '';
    await app.getByLabel('Code').fill(totp(0));
    await button('Turn on', app);
    await app.getByRole('status').getByRole('listitem').nth(9).waitFor();
    await page.getByLabel('Name of the passkey').fill('This machine');
    await button('Add a passkey');
    await page.getByRole('list', { name: 'Passkeys' }).getByText('This machine').waitFor();
  });

  test('signs in by password and code, and by the passkey without either', async () => {
    await page.goto(publicUrl);
    await signOut();
    await submitSignIn();
    await page.getByLabel('Code from your authenticator app').fill(totp(1));
    await button('Sign in');
    await expectSignedIn();
    await signOut();
    await button('Use a passkey');
    await expectSignedIn();
  });

  test('creates a token for a script that reads only one workspace', async () => {
    const cookies = await page.context().cookies(publicUrl);
    const sid = cookies.find(({ name }) => name === 'sid')?.value ?? '';
    const user = service.client(`sid=${sid}`);
    await makeTask(user, { title: 'Of nobody else' });
    for (const workspace of ['Team', 'Other']) {
      await button('New workspace');
      await page.getByRole('dialog').getByLabel('Name').fill(workspace);
      await button('Create', page.getByRole('dialog'));
      await page.getByRole('heading', { level: 1, name: workspace }).waitFor();
      // The page shows the workspace before the service has it.
      let workspaceId: string | undefined;
      await until('the workspace is made', async () => {
        const { workspaces } = await user.data<Workspaces>('{ workspaces { id name } }');
        workspaceId = workspaces.find(({ name }) => name === workspace)?.id;
        return workspaceId !== undefined;
      });
      const project = await makeProject(user, { workspaceId, name: `Plans of ${workspace}` });
      await makeTask(user, { title: `Task of ${workspace}`, projectId: project.id });
    }
    await page.goto(`${publicUrl}/settings/tokens`);
    await page.getByLabel('Name', { exact: true }).fill('script');
    await page.getByLabel('Access to', { exact: true }).selectOption('Team');
    await button('Create token');
    const token = (await page.getByRole('status').locator('code').textContent()) ?? '';
    const script = new Program(service, token);
    expect(await script.data('{ workspaces { name } projects { name } tasks { nodes { title } } }')).toEqual({
      workspaces: [{ name: 'Team' }],
      projects: [{ name: 'Plans of Team' }],
      tasks: { nodes: [{ title: 'Task of Team' }] },
    });
    expect(await script.get('/api/v2/todo')).toMatchObject({ body: { todos: [{ title: 'Task of Team' }] } });
    expect(await script.graphql('mutation { createTag(name: "x") { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
  });

  test('violates no policy, and makes requests only to the service and the providers', () => {
    const knownOrigins = [publicUrl, ...[...providers.values()].map(({ issuer }) => issuer)];
    expect(
      watchedPage.addresses.filter((address) => !knownOrigins.some((origin) => address.startsWith(origin))),
    ).toEqual([]);
    expect(watchedPage.problems.filter((text) => !/status of 40[013]/.test(text))).toEqual([]);
  });
});
