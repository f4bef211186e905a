import { createHash, createSign, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { Client } from './client.ts';
import { randomEmail } from './random.ts';
import type { Service } from './service.ts';

export interface Person {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: string;
}

export interface RunningProvider {
  issuer: string;
  /** The person who signs in next. */
  person: Person;
  close(): Promise<void>;
}

async function listen(server: Server): Promise<{ origin: string; close: () => Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** The part of `oidc-provider` in use. */
interface OidcProvider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  Grant: new (options: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
}

interface OidcContext {
  oidc: { provider: OidcProvider; client: { clientId: string }; session: { accountId: string } };
}

/** The package has no types. */
const packageName: string = 'oidc-provider';

/** A provider based on the `oidc-provider` package, at which every user consents. */
export async function honestProvider(client: {
  id: string;
  secret?: string;
  redirectUri: (origin: string) => string;
}): Promise<RunningProvider> {
  // The package warns about production settings and old versions of Node.js.
  const notices = (['warn', 'info'] as const).map((level) =>
    jest.spyOn(console, level).mockImplementation(() => undefined),
  );
  const { default: Provider } = (await import(packageName)) as {
    default: new (issuer: string, options: object) => OidcProvider;
  };
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const { origin, close } = await listen(createServer((request, response) => handle(request, response)));
  const running: RunningProvider = { issuer: origin, person: { sub: 'nobody' }, close };
  const people = new Map<string, Person>();
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: client.id,
        redirect_uris: [client.redirectUri(origin)],
        ...(client.secret === undefined
          ? { token_endpoint_auth_method: 'none' }
          : { client_secret: client.secret, token_endpoint_auth_method: 'client_secret_post' }),
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    // Seconds. The package warns if its defaults are used.
    ttl: { AccessToken: 60, Grant: 600, IdToken: 300, Interaction: 600, Session: 600 },
    interactions: { url: () => '/interaction' },
    findAccount: (_context: unknown, id: string) => ({ accountId: id, claims: () => ({ ...people.get(id), sub: id }) }),
    loadExistingGrant: async ({ oidc }: OidcContext) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  for (const notice of notices) notice.mockRestore();
  const callback = provider.callback();
  handle = (request, response) => {
    if (request.url !== '/interaction') return callback(request, response);
    const { person } = running;
    people.set(person.sub, person);
    void provider.interactionFinished(request, response, { login: { accountId: person.sub, remember: false } });
  };
  return running;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

const newKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid: randomUUID(), privateKey, jwk: publicKey.export({ format: 'jwk' }) };
};

export interface ProviderFaults {
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>;
  /** `alg` in the header of the ID token. */
  alg?: string;
  /** Signs with an unpublished key. */
  isForged?: boolean;
  discovery?: object;
  token?: (response: ServerResponse) => void;
  /** Query parameters of the redirect back. */
  redirectParameters?: Record<string, string>;
  userinfo?: object;
  /** Never finishes, or never begins, the response at this path. */
  hang?: { at: string; hasBegun: boolean; onRequest: () => void };
}

/** A provider with configurable faults. */
export async function lyingProvider(clientId: string) {
  let faults: ProviderFaults = {};
  let key = newKey();
  const codes = new Map<string, { nonce: string; challenge: string }>();
  const running = { issuer: '', person: { sub: 'nobody' } as Person, discoveries: 0 };

  function idToken(nonce: string): string {
    const now = Math.floor(Date.now() / 1000);
    const { person, issuer } = running;
    const claims = { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce, ...person };
    const { alg = 'RS256' } = faults;
    const text = `${encode({ alg, kid: key.kid })}.${encode(faults.claims?.(claims) ?? claims)}`;
    if (alg === 'none') return `${text}.`;
    const signer: KeyObject = faults.isForged ? newKey().privateKey : key.privateKey;
    return `${text}.${createSign('RSA-SHA256').update(text).sign(signer, 'base64url')}`;
  }

  function respond(response: ServerResponse, body: object, status = 200) {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  async function token(request: IncomingMessage, response: ServerResponse) {
    let text = '';
    for await (const piece of request) text += String(piece);
    if (faults.token) return faults.token(response);
    const body = new URLSearchParams(text);
    const issuedCode = codes.get(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (issuedCode?.challenge !== challenge) return respond(response, { error: 'invalid_grant' }, 400);
    codes.delete(body.get('code') ?? '');
    respond(response, {
      access_token: 'access',
      token_type: 'Bearer',
      expires_in: 60,
      id_token: idToken(issuedCode.nonce),
    });
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', running.issuer);
    const { issuer } = running;
    const urlOf = (path: string) => `${issuer}${path}`;
    if (pathname === faults.hang?.at) {
      if (faults.hang.hasBegun) response.writeHead(200, { 'Content-Type': 'application/json' }).write('{');
      return faults.hang.onRequest();
    }
    if (pathname === '/.well-known/openid-configuration') {
      running.discoveries += 1;
      return respond(response, {
        issuer,
        authorization_endpoint: urlOf('/authorize'),
        token_endpoint: urlOf('/token'),
        jwks_uri: urlOf('/jwks'),
        userinfo_endpoint: urlOf('/userinfo'),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...faults.discovery,
      });
    }
    if (pathname === '/jwks')
      return respond(response, { keys: [{ ...key.jwk, kid: key.kid, alg: 'RS256', use: 'sig' }] });
    if (pathname === '/userinfo') return respond(response, faults.userinfo ?? running.person);
    if (pathname === '/token') return void token(request, response);
    const code = randomUUID();
    const [nonce, challenge] = [searchParams.get('nonce') ?? '', searchParams.get('code_challenge') ?? ''];
    codes.set(code, { nonce, challenge });
    const redirect = new URL(searchParams.get('redirect_uri') ?? '');
    for (const [name, value] of Object.entries({
      code,
      state: searchParams.get('state') ?? '',
      ...faults.redirectParameters,
    }))
      redirect.searchParams.set(name, value);
    response.writeHead(302, { Location: redirect.href }).end();
  });
  const { origin, close } = await listen(server);
  running.issuer = origin;
  return Object.assign(running, {
    close,
    setFaults(nextFaults: ProviderFaults) {
      faults = nextFaults;
    },
    rotateKey() {
      key = newKey();
    },
  });
}

/** Keeps the cookies of each origin, and follows redirects. */
export class Browser extends Client {
  readonly #origin: string;
  readonly #cookies = new Map<string, Map<string, string>>();

  constructor(service: { url: string }, cookie?: string) {
    super(service.url, cookie);
    this.#origin = service.url;
  }

  async visit(url: string): Promise<{ status: number; location: string | null; headers: Headers }> {
    const { origin } = new URL(url, this.#origin);
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    if (origin === this.#origin && this.cookie !== undefined) jar.set('sid', this.cookie.slice('sid='.length));
    const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const { status, headers } = await fetch(new URL(url, this.#origin), { redirect: 'manual', headers: { Cookie } });
    this.storeCookies(headers, origin);
    return { status, headers, location: headers.get('Location') };
  }

  storeCookies(headers: Headers, origin = this.#origin): void {
    const jar = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, jar);
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
      if (origin === this.#origin && name === 'sid') this.cookie = value === '' ? undefined : `sid=${value}`;
    }
  }

  /** Follows redirects up to the callback, without visiting it. */
  async goToCallback(start: string): Promise<string> {
    let url = start;
    for (;;) {
      const { location, status } = await this.visit(url);
      if (location === null) throw new Error(`${url} answered ${status}`);
      url = new URL(location, new URL(url, this.#origin)).href;
      if (new URL(url).pathname.endsWith('/callback')) return url;
      if (url.startsWith(this.#origin) && !url.includes('/api/v1/auth/')) return url;
    }
  }

  /** @returns the path that the provider leads back to */
  async signIn(provider: string, returnTo = '/home'): Promise<string> {
    const callback = await this.goToCallback(`/api/v1/auth/${provider}?returnTo=${encodeURIComponent(returnTo)}`);
    if (!callback.includes('/callback')) return callback.replace(this.#origin, '');
    return (await this.visit(callback)).location ?? '';
  }
}

/** A browser for a service behind another public origin. */
export class PublicBrowser extends Browser {
  readonly #service: { url: string };
  readonly #publicUrl: string;

  constructor(service: { url: string }, publicUrl: string, cookie?: string) {
    super(service, cookie);
    this.#service = service;
    this.#publicUrl = publicUrl;
  }

  override visit(url: string) {
    return super.visit(url.replace(this.#publicUrl, this.#service.url));
  }

  async link(provider: string, returnTo = '/settings') {
    const respond = await this.post<{ url: string }>(`/api/v1/auth/${provider}/link`, { returnTo });
    this.storeCookies(respond.headers);
    return respond;
  }
}

export async function linkBySql({ sql }: Pick<Service, 'sql'>, userId: string): Promise<void> {
  const links = "('i', $1, $1, 'one'), ('j', $1, $1, 'other')";
  await sql(`INSERT INTO provider_links (issuer, subject, user_id, provider) VALUES ${links}`, [userId]);
  await sql("UPDATE users SET provider = 'one' WHERE id = $1", [userId]);
}

/** A person without an account, with a verified address. */
export const makePerson = (overrides: object = {}) => ({
  sub: crypto.randomUUID(),
  email: randomEmail(),
  email_verified: true,
  name: 'Anna Example',
  ...overrides,
});

interface ViewerFields {
  id: string;
  email: string;
  name: string | null;
  isPasswordSet: boolean;
  isOAuthLinked: boolean;
  provider: string | null;
  providers: string[];
}
export const viewerOf = async (browser: Browser) =>
  (
    await browser.data<{ viewer: ViewerFields | null }>(
      '{ viewer { id email name isPasswordSet isOAuthLinked provider providers } }',
    )
  ).viewer;
