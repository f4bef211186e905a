import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { Provider } from '../../src/accounts/providers/provider.ts';
import { lyingProvider, PublicBrowser, makePerson } from '../kit/providers.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { withTimeout } from '../kit/until.ts';

const publicUrl = 'http://127.0.0.1:39747';

let service: Service;
let liar: Awaited<ReturnType<typeof lyingProvider>>;
/** Opens a provider whose metadata the service does not have yet. */
const open = async () => {
  liar = await lyingProvider('taskgate');
  service = await startService({
    PUBLIC_URL: publicUrl,
    OIDC_LIAR_ISSUER: liar.issuer,
    OIDC_LIAR_CLIENT_ID: 'taskgate',
  });
};
const close = async () => {
  await service.close();
  await liar.close();
};

const deadlines: { ms: number; end: () => void }[] = [];
const real = AbortSignal.timeout.bind(AbortSignal);

beforeAll(() => {
  jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    // The library has later limits of its own.
    if (ms > 10_000) return real(ms);
    const controller = new AbortController();
    deadlines.push({ ms, end: () => controller.abort(new DOMException('The time is over', 'TimeoutError')) });
    return controller.signal;
  });
});
afterEach(() => {
  deadlines.length = 0;
});
afterAll(() => {
  jest.restoreAllMocks();
});

const discovery = '/.well-known/openid-configuration';

/** Hangs at a path, and ends the time limit of the request. */
const hangAt = (path: string, hasBegun: boolean) => {
  liar.setFaults({
    claims: (claims) => ({ ...claims, email: undefined, email_verified: undefined }),
    hang: { at: path, hasBegun, onRequest: () => deadlines.at(-1)?.end() },
  });
};

describe.each([
  ['never answers', false],
  ['never ends its response', true],
])('a provider that %s', (_name, hasBegun) => {
  beforeEach(open);
  afterEach(close);

  test('does not prevent the start of the service, and does not delay the start of a sign-in', async () => {
    expect(liar.discoveries).toBe(0);
    hangAt(discovery, hasBegun);
    const browser = new PublicBrowser(service, publicUrl);
    expect(await withTimeout('the redirect', browser.signIn('liar'))).toBe('/home?error=PROVIDER_UNAVAILABLE');
    const member = new PublicBrowser(service, publicUrl, (await signUp(service)).cookie);
    expect(await withTimeout('the refusal', member.link('liar'))).toMatchObject({ status: 503 });
    expect(deadlines).toHaveLength(2);
  });

  test.each(['/token', '/jwks', '/userinfo'])('does not delay a callback at %s', async (path) => {
    liar.setFaults({});
    liar.person = makePerson();
    const browser = new PublicBrowser(service, publicUrl);
    const callback = await browser.goToCallback('/api/v1/auth/liar?returnTo=/home');
    deadlines.length = 0;
    hangAt(path, hasBegun);
    const { location } = await withTimeout('the redirect', browser.visit(callback));
    expect(location).toBe('/home?error=PROVIDER_UNAVAILABLE');
    expect(browser.cookie).toBeUndefined();
    // One limit for all requests of the callback. It leaves time for the service's own work.
    expect(deadlines).toEqual([expect.objectContaining({ ms: 9500 })]);
  });
});

test('the metadata of a provider lead to no other host of the private network', async () => {
  const other = await lyingProvider('taskgate');
  const client = { clientId: 'taskgate', clientSecret: undefined, scopes: 'openid' };
  const reached: string[] = [];
  for (const host of ['localhost', '127.0.0.1']) {
    const token = (response: ServerResponse) => reached.push(host) && response.destroy();
    const token_endpoint = `${other.issuer.replace('127.0.0.1', host)}/token`;
    other.setFaults({ discovery: { token_endpoint }, token });
    const provider = new Provider(
      { name: 'x', label: 'x', trustEmail: false, ...client, issuer: other.issuer },
      publicUrl,
    );
    const { url, flow } = await provider.begin();
    const { headers } = await fetch(url, { redirect: 'manual' });
    const { search } = new URL(headers.get('location') ?? '');
    const finished = provider.finish(search, flow, { needsEmail: () => Promise.resolve(false) });
    await expect(finished).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  }
  expect(reached).toEqual(['127.0.0.1']);
  await other.close();
});
