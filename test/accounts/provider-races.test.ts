import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import { lyingProvider, PublicBrowser, makePerson, viewerOf } from '../kit/providers.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const publicUrl = 'http://127.0.0.1:39748';

let service: Service;
const providers = new Map<string, Awaited<ReturnType<typeof lyingProvider>>>();

beforeAll(async () => {
  const variables: Record<string, string> = { PUBLIC_URL: publicUrl };
  for (const name of ['one', 'two']) {
    const provider = await lyingProvider('taskgate');
    providers.set(name, provider);
    variables[`OIDC_${name.toUpperCase()}_ISSUER`] = provider.issuer;
    variables[`OIDC_${name.toUpperCase()}_CLIENT_ID`] = 'taskgate';
  }
  service = await startService(variables);
});
afterAll(async () => {
  await service.close();
  for (const provider of providers.values()) await provider.close();
});

const browserOf = (cookie?: string) => new PublicBrowser(service, publicUrl, cookie);
const withPerson = (name: string, person: object) => Object.assign(providers.get(name) ?? {}, { person });
const startSignIn = (browser: PublicBrowser, name: string) =>
  browser.goToCallback(`/api/v1/auth/${name}?returnTo=/home`).then((callback) => ({ browser, callback }));
const returnAll = async (signIns: { browser: PublicBrowser; callback: string }[]) => {
  const answers = await Promise.all(signIns.map(({ browser, callback }) => browser.visit(callback)));
  return answers.map(({ location }) => location).sort();
};

test('a callback that arrives twice at once signs in once', async () => {
  withPerson('one', makePerson());
  const browser = browserOf();
  const first = await startSignIn(browser, 'one');
  // Both callbacks have the cookies of the time when both began.
  expect(await returnAll([first, first, first])).toEqual(['/?error=INVALID_STATE', '/?error=INVALID_STATE', '/home']);
  const { id } = (await viewerOf(browser)) ?? {};
  expect(await service.sql('SELECT FROM sessions WHERE user_id = $1', [id])).toHaveLength(1);
});

test('two providers with one new address at once create one account', async () => {
  const email = randomEmail();
  for (const name of providers.keys()) withPerson(name, makePerson({ email }));
  const signIns = [await startSignIn(browserOf(), 'one'), await startSignIn(browserOf(), 'two')];
  expect(await returnAll(signIns)).toEqual(['/home', '/home?error=ACCOUNT_EXISTS']);
  const completeAccounts = `SELECT FROM users JOIN projects ON space_id = users.id AND is_default JOIN provider_links ON user_id = users.id
    WHERE email = $1`;
  expect(await service.sql(completeAccounts, [email])).toHaveLength(1);
});

test('one of two accounts that link one subject at once succeeds', async () => {
  withPerson('one', { sub: crypto.randomUUID() });
  const signIns = [];
  for (const user of [await signUp(service), await signUp(service)]) {
    const browser = browserOf(user.cookie);
    const callback = await browser.goToCallback((await browser.link('one', '/home')).body.url);
    signIns.push({ browser, callback });
  }
  expect(await returnAll(signIns)).toEqual(['/home', '/home?error=ALREADY_LINKED']);
  const linkCounts = await Promise.all(signIns.map(async ({ browser }) => (await viewerOf(browser))?.providers.length));
  expect(linkCounts.sort()).toEqual([0, 1]);
});

/** Links a subject to another account after the service has read, and before it writes. */
async function linkElsewhere(sub: string, visit: () => Promise<{ location: string | null }>) {
  const { id } = await signUp(service);
  const other = await openLockHolder(service);
  try {
    await other.sql(`INSERT INTO provider_links (issuer, subject, user_id, provider) VALUES ($1, $2, $3, 'one')`, [
      providers.get('one')?.issuer,
      sub,
      id,
    ]);
    const visited = visit();
    await untilWaiting(service, 1);
    await other.release();
    return { id, location: (await visited).location };
  } finally {
    await other.release();
  }
}

test('a subject that another process links at the same moment is linked once', async () => {
  const person = { sub: crypto.randomUUID() };
  withPerson('one', person);
  const browser = browserOf((await signUp(service)).cookie);
  const callback = await browser.goToCallback((await browser.link('one', '/home')).body.url);
  const { location } = await linkElsewhere(person.sub, () => browser.visit(callback));
  expect(location).toBe('/home?error=ALREADY_LINKED');
  expect((await viewerOf(browser))?.providers).toEqual([]);
});

test('a sign-in while another process links the subject leads to that account', async () => {
  const person = makePerson();
  withPerson('one', person);
  const { browser, callback } = await startSignIn(browserOf(), 'one');
  const { id, location } = await linkElsewhere(person.sub, () => browser.visit(callback));
  expect(location).toBe('/home');
  expect((await viewerOf(browser))?.id).toBe(id);
});

test('of the last two ways to sign in that are removed at once, one stays', async () => {
  withPerson('one', makePerson());
  withPerson('two', makePerson());
  const browser = browserOf();
  expect(await browser.signIn('one')).toBe('/home');
  await browser.visit(await browser.goToCallback((await browser.link('two')).body.url));
  const answers = await Promise.all(
    ['one', 'two'].map((name) => browser.graphql(`mutation { unlinkProvider(provider: "${name}") { providers } }`)),
  );
  expect(answers.filter(({ errors }) => errors)).toMatchObject([
    { errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] },
  ]);
  expect((await viewerOf(browser))?.providers).toHaveLength(1);
});
