import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Browser, lyingProvider, PublicBrowser } from '../kit/providers.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const publicUrl = 'http://127.0.0.1:39757';

let service: Service;
let liar: Awaited<ReturnType<typeof lyingProvider>>;
let browser: Browser;
beforeAll(async () => {
  liar = await lyingProvider('taskgate');
  service = await startService({
    PUBLIC_URL: publicUrl,
    RATE_LIMITS: 'off',
    OIDC_LIAR_ISSUER: liar.issuer,
    OIDC_LIAR_CLIENT_ID: 'taskgate',
  });
  browser = new PublicBrowser(service, publicUrl, (await signUp(service)).cookie);
});
afterAll(async () => {
  await service.close();
  await liar.close();
});

const refusal = { path: 'returnTo' };

/** The three entrances for a return path. @returns the error in the form of REST */
const endpoints: Record<string, (returnTo: string) => Promise<unknown>> = {
  async start(returnTo) {
    const { status, body } = await service.anonymous.get(`/api/v1/auth/liar?returnTo=${encodeURIComponent(returnTo)}`);
    return { status, body };
  },
  async link(returnTo) {
    const { status, body } = await browser.post('/api/v1/auth/liar/link', { returnTo });
    return { status, body };
  },
  async linkProvider(returnTo) {
    const query = 'mutation ($returnTo: String) { linkProvider(provider: "liar", returnTo: $returnTo) }';
    const { errors } = await browser.graphql(query, { returnTo });
    const [error] = errors ?? [];
    return {
      status: error?.extensions.code === 'VALIDATION_FAILED' ? 400 : error,
      body: { errors: error?.extensions.errors },
    };
  },
};

/** Characters that paths lack, or that some parsers treat in a special way. */
const strangeCharacter = fc.constantFrom(
  ...['\r\n', '\t', '\0', '\x1f', '\x7f', '\x85', ' ', '\u00a0', '\u2028', '\u3000', '\u200b', '\ufeff', 'é', '\\'],
  ...['%0d%0a', '%0D', '%09', '%00', '%1f', '%7F', '%C2%85', '%E2%80%A8', '%', '%zz', '%ff', '%c0%8a', '%ed%a0%80'],
);

/** Path segments that lead to another origin for some parsers. */
const pathStart = fc.constantFrom(
  '/',
  '//',
  '/.',
  '/..',
  '/%2e',
  '/%2E%2e',
  '/evil.example',
  '/x',
  '/%2f',
  '%2f',
  '/%5c',
  '?a=/',
  '#',
);

const pathEnd = fc.constantFrom(
  ...['', 'today', 'a/b', 'x-y_z~1.0', '%20', '%C3%A9', '%25', '%250a', "!$&'()*+,;=:@", 'a/../b', '//'],
);

const pieces = fc.tuple(pathEnd, pathEnd, fc.constantFrom('', '?x=1', '?q=%20&r[]=//y\u007e', '?x#y', '#//z', '?'));

const join = (parts: readonly string[]) => `/p${parts.join('')}`;

describe.each(Object.entries(endpoints))('the path to return to, at %s', (_name, startSignIn) => {
  test('is refused with an invalid character anywhere', async () => {
    const property = fc.asyncProperty(pieces, strangeCharacter, fc.nat(3), async (parts, character, at) => {
      const returnTo = join(parts.toSpliced(at, 0, character));
      expect([returnTo, await startSignIn(returnTo)]).toMatchObject([
        returnTo,
        { status: 400, body: { errors: [refusal] } },
      ]);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test.each([
    ...[
      '',
      'evil',
      '?x',
      '#x',
      './x',
      'https://evil.example',
      'javascript:alert(1)',
      '//evil.example',
      '///evil.example',
    ],
    ...['/\\evil.example', '\\\\evil.example', '/%2fevil.example', '/%2F%2fevil.example', '/%5cevil.example'],
    ...[
      '/.//evil.example',
      '/%2e//evil.example',
      '/x/..//evil.example',
      '/x/%2E%2e//evil.example',
      '/x/../%2fevil.example',
    ],
    ...['//evil.example/../..', '//evil.example/%2e%2e/%2e%2e', '//evil.example/x/../../..', '//..', '//./x', '//'],
    ...['/\r\nSet-Cookie: a=b', '/%0d%0aSet-Cookie:%20a=b', '/ ', ' /', '/\t/evil.example', '\t//evil.example', '/\n'],
    `/${'x'.repeat(2000)}`,
  ])('is refused: %j', async (returnTo) => {
    expect(await startSignIn(returnTo)).toMatchObject({ status: 400, body: { errors: [refusal] } });
  });
});

test('no accepted path leads to another origin', async () => {
  const property = fc.asyncProperty(fc.array(pathStart, { minLength: 1, maxLength: 6 }), async (parts) => {
    const returnTo = parts.join('');
    const answer = (await endpoints['start']?.(returnTo)) as { status: number };
    if (answer.status === 400) return;
    const resolved = new URL(returnTo, publicUrl);
    expect([returnTo, resolved.origin]).toEqual([returnTo, publicUrl]);
    for (const path of [returnTo, resolved.pathname, decodeURIComponent(resolved.pathname)])
      expect([returnTo, /^\/[/\\]/.test(path)]).toEqual([returnTo, false]);
  });
  await fc.assert(property, { numRuns: 300 });
});

test('an accepted path is returned exactly', async () => {
  const property = fc.asyncProperty(pieces, async (parts) => {
    const returnTo = join(parts);
    const visitor = new PublicBrowser(service, publicUrl);
    liar.setFaults({ redirectParameters: { error: 'access_denied' } });
    const location = await visitor.signIn('liar', returnTo);
    const [, sent] = /^(.*)[?&]error=PROVIDER_DENIED/.exec(location) ?? [];
    expect(sent).toBe(returnTo.split('#')[0]);
    expect(location).toBe(
      returnTo.replace(/(\?[^#]*)?(#.*)?$/, (_all, query = '', hash = '') => {
        return `${query}${query === '' ? '?' : '&'}error=PROVIDER_DENIED${hash}`;
      }),
    );
    expect(new URL(location, publicUrl).origin).toBe(publicUrl);
  });
  await fc.assert(property, { numRuns: 30 });
});
