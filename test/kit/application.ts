import { createHash, randomBytes } from 'node:crypto';
import { type Answer, Client } from './client.ts';
import { Program } from './program.ts';
import type { User } from './users.ts';

type Parameters = Readonly<Record<string, string>>;

export const redirectUri = 'https://app.example/callback?of=app';

export interface OAuthFault {
  error: string;
  error_description: string;
}

export interface Tokens {
  access_token: string;
  token_type: string;
  expires_in: number;
  refresh_token: string;
  scope: string;
}

interface Service {
  url: string;
}

/** Sends a form without a session. A string is sent as it is. */
export const postForm = <Body = OAuthFault>(
  { url }: Service,
  path: string,
  form: Parameters | string,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> =>
  new Client(url).post<Body>(path, typeof form === 'string' ? form : new URLSearchParams(form).toString(), {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });

export const register = <Body = { client_id: string }>({ url }: Service, metadata: object = {}) =>
  new Client(url).post<Body>('/oauth/register', {
    client_name: 'Assistant',
    redirect_uris: [redirectUri],
    ...metadata,
  });

export async function registered(service: Service, metadata: object = {}): Promise<string> {
  const { status, body } = await register(service, metadata);
  if (status !== 201) throw new Error(`the registration answered ${status}: ${JSON.stringify(body)}`);
  return body.client_id;
}

export function newVerifier() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The query of `/oauth/authorize`. Undefined leaves a parameter out. */
export function queryFor(clientId: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const all: Readonly<Record<string, string | undefined>> = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: newVerifier().challenge,
    code_challenge_method: 'S256',
    scope: 'read write',
    state: 'a state',
    ...parameters,
  };
  return new URLSearchParams(
    Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
}

export interface ApplicationRequest {
  name: string;
  redirectHost: string;
  isLocal: boolean;
  scopes: string[];
  redirectTo: string | null;
  cancelTo: string;
}

export const askFor = (user: Client, query: string) =>
  user.graphql<{ applicationRequest: ApplicationRequest }>(
    'query ($query: String!) { applicationRequest(query: $query) { name redirectHost isLocal scopes redirectTo cancelTo } }',
    { query },
  );

export interface Consent {
  scopes?: string[];
  spaceIds?: string[] | null;
}

export const tryToAllow = (user: Client, query: string, { scopes = ['READ', 'WRITE'], spaceIds }: Consent = {}) =>
  user.graphql<{ allowApplication: string }>(
    'mutation ($query: String!, $scopes: [TokenScope!]!, $spaceIds: [ID!]) { allowApplication(query: $query, scopes: $scopes, spaceIds: $spaceIds) }',
    { query, scopes, ...(spaceIds !== undefined && { spaceIds }) },
  );

/** @returns the URL for the browser */
export async function allow(user: Client, query: string, consent?: Consent): Promise<URL> {
  const { data, errors } = await tryToAllow(user, query, consent);
  if (!data) throw new Error(`allowApplication failed: ${JSON.stringify(errors)}`);
  return new URL(data.allowApplication);
}

/** The form that exchanges a code, for a consent that it makes. */
export async function codeForm(service: Service, user: Client, options: Consent & { clientId?: string } = {}) {
  const clientId = options.clientId ?? (await registered(service));
  const { verifier, challenge } = newVerifier();
  const url = await allow(user, queryFor(clientId, { code_challenge: challenge }), options);
  return {
    grant_type: 'authorization_code',
    code: url.searchParams.get('code') ?? '',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
}

/** A connected application. */
export class Application extends Program {
  readonly clientId: string;
  readonly tokens: Tokens;

  constructor(service: Service, id: string, clientId: string, tokens: Tokens) {
    super(service, tokens.access_token, id);
    this.clientId = clientId;
    this.tokens = tokens;
  }

  refreshForm(parameters: Parameters = {}) {
    return {
      grant_type: 'refresh_token',
      refresh_token: this.tokens.refresh_token,
      client_id: this.clientId,
      ...parameters,
    };
  }
}

export interface ShownApplication {
  id: string;
  name: string;
  redirectHost: string;
  scopes: string[];
  spaceIds: string[] | null;
  createdAt: string;
  lastUsedAt: string | null;
}

export const applicationsOf = async (user: Client): Promise<ShownApplication[]> =>
  (
    await user.data<{ viewer: { applications: ShownApplication[] } }>(
      '{ viewer { applications { id name redirectHost scopes spaceIds createdAt lastUsedAt } } }',
    )
  ).viewer.applications;

/** Connects an application to an account, by default with write access everywhere. */
export async function connect(
  service: Service,
  user: User,
  options: Consent & { clientId?: string } = {},
): Promise<Application> {
  const form = await codeForm(service, user, options);
  const { status, body } = await postForm<Tokens>(service, '/oauth/token', form);
  if (status !== 200) throw new Error(`the exchange answered ${status}: ${JSON.stringify(body)}`);
  const [newest] = await applicationsOf(user);
  return new Application(service, newest?.id ?? '', form.client_id, body);
}

export const refresh = <Body = Tokens>(service: Service, application: Application, parameters: Parameters = {}) =>
  postForm<Body>(service, '/oauth/token', application.refreshForm(parameters));
