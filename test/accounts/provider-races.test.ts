import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { holder, untilWaiting } from '../kit/locks.ts';
import { lyingProvider, PublicBrowser, someone, viewerOf } from '../kit/providers.ts';
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
const at = (name: string, person: object) => Object.assign(providers.get(name) ?? {}, { person });
const begun = (browser: PublicBrowser, name: string) =>
  browser.goToCallback(`/api/v1/auth/${name}?returnTo=/home`).then((callback) => ({ browser, callback }));
const comeBack = async (begun: { browser: PublicBrowser; callback: string }[]) => {
  const answers = await Promise.all(begun.map(({ browser, callback }) => browser.visit(callback)));
  return answers.map(({ location }) => location).sort();
};

test('one return that comes twice at once signs in once', async () => {
  at('one', someone());
  const browser = browserOf();
  const first = await begun(browser, 'one');
  // Both callbacks have the cookies of the time when both began.
  expect(await comeBack([first, first, first])).toEqual(['/?error=INVALID_STATE', '/?error=INVALID_STATE', '/home']);
  const { id } = (await viewerOf(browser)) ?? {};
  expect(await service.sql('SELECT FROM sessions WHERE user_id = $1', [id])).toHaveLength(1);
});

test('two providers that bring one new address at once make one account', async () => {
  const email = randomEmail();
  for (const name of providers.keys()) at(name, someone({ email }));
  const both = [await begun(browserOf(), 'one'), await begun(browserOf(), 'two')];
  expect(await comeBack(both)).toEqual(['/home', '/home?error=ACCOUNT_EXISTS']);
  const whole = `SELECT FROM users JOIN projects ON space_id = users.id AND is_default JOIN provider_links ON user_id = users.id
    WHERE email = $1`;
  expect(await service.sql(whole, [email])).toHaveLength(1);
});

test('two accounts that link one subject at once: one has it', async () => {
  at('one', { sub: crypto.randomUUID() });
  const both = [];
  for (const user of [await signUp(service), await signUp(service)]) {
    const browser = browserOf(user.cookie);
    const callback = await browser.goToCallback((await browser.link('one', '/home')).body.url);
    both.push({ browser, callback });
  }
  expect(await comeBack(both)).toEqual(['/home', '/home?error=ALREADY_LINKED']);
  const linked = await Promise.all(both.map(async ({ browser }) => (await viewerOf(browser))?.providers.length));
  expect(linked.sort()).toEqual([0, 1]);
});

/** Links a subject to another account after the service has read, and before it writes. */
async function linkElsewhere(sub: string, visit: () => Promise<{ location: string | null }>) {
  const { id } = await signUp(service);
  const other = await holder(service);
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
  at('one', person);
  const browser = browserOf((await signUp(service)).cookie);
  const callback = await browser.goToCallback((await browser.link('one', '/home')).body.url);
  const { location } = await linkElsewhere(person.sub, () => browser.visit(callback));
  expect(location).toBe('/home?error=ALREADY_LINKED');
  expect((await viewerOf(browser))?.providers).toEqual([]);
});

test('who signs in while another process links them signs in to that account', async () => {
  const person = someone();
  at('one', person);
  const { browser, callback } = await begun(browserOf(), 'one');
  const { id, location } = await linkElsewhere(person.sub, () => browser.visit(callback));
  expect(location).toBe('/home');
  expect((await viewerOf(browser))?.id).toBe(id);
});

test('of two last ways in that are taken away at once, one stays', async () => {
  at('one', someone());
  at('two', someone());
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
