import { AsyncLocalStorage } from 'node:async_hooks';
import * as oidc from 'openid-client';
import { isPrivateUrl, isText, log, traceHeaders } from '@taskgate/base';
import { guardedFetch } from '@taskgate/http';
import { isVisible } from '../../platform/input.ts';

export interface ProviderOptions {
  /** Lower case: part of paths. */
  name: string;
  /** Text of the button. */
  label: string;
  issuer: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** Separated by spaces. */
  scopes: string;
  /** Whether a verified address signs in to its existing account. */
  trustEmail: boolean;
}

export interface Flow {
  state: string;
  nonce: string;
  verifier: string;
}

/** The verified identity that a provider returned. */
export interface Identity {
  issuer: string;
  subject: string;
  name: string | null;
  /** Address in the provider's spelling. */
  email: string | undefined;
  isEmailVerified: boolean;
}

type ProviderErrorCode =
  | 'ACCOUNT_EXISTS'
  | 'ALREADY_LINKED'
  | 'EMAIL_NOT_VERIFIED'
  | 'INVALID_STATE'
  | 'PROVIDER_DENIED'
  | 'PROVIDER_UNAVAILABLE'
  | 'UNAUTHENTICATED';

export class ProviderError extends Error {
  readonly code: ProviderErrorCode;

  constructor(code: ProviderErrorCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** Time for all calls in one request, which itself ends within ten seconds. */
const deadlineMs = 9500;
const maxBytes = 1024 * 1024;
const configurationMs = 3_600_000;
const clockToleranceSeconds = 10;
/** The client may be registered for the other way to send its secret. Some providers send the second error. */
const refusalsOfClients = ['invalid_client', 'unauthorized_client'];
/** OpenID Connect Core 1.0, 2. */
const subjectForm = /^[\x20-\x7e]{1,255}$/;
/** In code points. */
const maxLength = 255;
/** Whether a sign-in needs the endpoint. */
const endpoints = { authorization_endpoint: true, token_endpoint: true, jwks_uri: true, userinfo_endpoint: false };

// eslint-disable-next-line @typescript-eslint/no-deprecated -- the configuration allows it only for providers on this machine
const allowHttp: (configuration: oidc.Configuration) => void = oidc.allowInsecureRequests;

const deadline = new AsyncLocalStorage<AbortSignal>();

/** An operator has named the issuer's host, which may be in their network. Its metadata name other hosts. */
function fetchFor(issuer: URL): oidc.CustomFetch {
  const send = guardedFetch({
    allow: [issuer.hostname],
    allowHttp: issuer.protocol === 'http:',
    maxBytes,
    timeoutMs: deadlineMs,
  });
  return (url, { method, headers, body }) =>
    send(url, {
      method,
      headers: { ...headers, ...traceHeaders() },
      body: body instanceof URLSearchParams ? body.toString() : undefined,
      signal: deadline.getStore(),
    });
}

/** Runs discovery at the first use. */
export class Provider {
  readonly options: ProviderOptions;
  readonly #redirectUri: string;
  readonly #fetch: oidc.CustomFetch;
  #configuration: oidc.Configuration | undefined;
  #readAt = -Infinity;
  #reading: Promise<oidc.Configuration> | undefined;

  constructor(options: ProviderOptions, publicUrl: string) {
    this.options = options;
    this.#redirectUri = `${publicUrl}/api/v1/auth/${options.name}/callback`;
    this.#fetch = fetchFor(new URL(options.issuer));
  }

  /** @throws ProviderError */
  begin(): Promise<{ url: string; flow: Flow }> {
    return this.#within(async () => {
      const configuration = await this.#configure();
      const flow = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: this.#redirectUri,
        scope: this.options.scopes,
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
      });
      return { url: url.href, flow };
    });
  }

  /** @throws ProviderError */
  finish(search: string, flow: Flow, { needsEmail }: { needsEmail: (subject: string) => Promise<boolean> }) {
    return this.#within(async (): Promise<Identity> => {
      const configuration = await this.#configure();
      const tokens = await this.#exchange(configuration, new URL(`${this.#redirectUri}${search}`), flow);
      const claims = tokens.claims();
      if (!claims || !subjectForm.test(claims.sub)) throw new Error('the subject is missing or malformed');
      const { userinfo_endpoint: hasUserinfo } = configuration.serverMetadata();
      const asksMore = claims['email'] === undefined && hasUserinfo && (await needsEmail(claims.sub));
      const info = asksMore ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub) : undefined;
      const { email, email_verified: isEmailVerified } = info ?? claims;
      return {
        issuer: this.options.issuer,
        subject: claims.sub,
        name: nameOf(claims['name'] ?? info?.name),
        email: typeof email === 'string' ? email : undefined,
        isEmailVerified: isEmailVerified === true,
      };
    });
  }

  /** Clients are registered for one way to send a secret. Only a refusal shows which. */
  async #exchange(configuration: oidc.Configuration, url: URL, { state, nonce, verifier }: Flow) {
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    try {
      return await oidc.authorizationCodeGrant(configuration, url, checks);
    } catch (error) {
      const isRefused = error instanceof oidc.ResponseBodyError && refusalsOfClients.includes(error.error);
      if (!isRefused || this.options.clientSecret === undefined) throw error;
      const other = this.#configured(configuration.serverMetadata(), oidc.ClientSecretPost(this.options.clientSecret));
      return oidc.authorizationCodeGrant(other, url, checks);
    }
  }

  async #configure(): Promise<oidc.Configuration> {
    if (this.#configuration && performance.now() - this.#readAt < configurationMs) return this.#configuration;
    this.#reading ??= this.#discover().finally(() => (this.#reading = undefined));
    try {
      this.#configuration = await this.#reading;
      this.#readAt = performance.now();
      return this.#configuration;
    } catch (error) {
      // Old metadata is better than none.
      if (this.#configuration) return this.#configuration;
      throw error;
    }
  }

  async #discover(): Promise<oidc.Configuration> {
    const { issuer, clientId } = this.options;
    const execute = issuer.startsWith('http:') ? [allowHttp] : [];
    const options = { [oidc.customFetch]: this.#fetch, execute };
    const server = (await oidc.discovery(new URL(issuer), clientId, undefined, undefined, options)).serverMetadata();
    for (const [name, isRequired] of Object.entries(endpoints)) {
      const endpoint = server[name] ?? (isRequired ? '' : undefined);
      if (endpoint !== undefined && !(typeof endpoint === 'string' && isPrivateUrl(endpoint)))
        throw new Error(`${name} is missing or not allowed`);
    }
    return this.#configured(server, this.#authentication());
  }

  #authentication(): oidc.ClientAuth {
    const { clientSecret } = this.options;
    return clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
  }

  #configured(server: oidc.ServerMetadata, authentication: oidc.ClientAuth): oidc.Configuration {
    const { issuer, clientId, clientSecret } = this.options;
    const metadata = { client_secret: clientSecret, [oidc.clockTolerance]: clockToleranceSeconds };
    const configuration = new oidc.Configuration(server, clientId, metadata, authentication);
    configuration[oidc.customFetch] = this.#fetch;
    if (issuer.startsWith('http:')) allowHttp(configuration);
    // Verifies ID tokens even from the token endpoint.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  async #within<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await deadline.run(AbortSignal.timeout(deadlineMs), work);
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      if (error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied')
        throw new ProviderError('PROVIDER_DENIED', { cause: error });
      // RFC 6749, 5.2.
      const oauthError = error instanceof oidc.ResponseBodyError ? error.error.slice(0, maxLength) : undefined;
      log.warn({ provider: this.options.name, error, oauthError }, 'a provider could not sign anybody in');
      throw new ProviderError('PROVIDER_UNAVAILABLE', { cause: error });
    }
  }
}

function nameOf(name: unknown): string | null {
  const text = typeof name === 'string' && isText(name) ? name.trim() : '';
  return isVisible(text) ? Array.from(text).slice(0, maxLength).join('') : null;
}
