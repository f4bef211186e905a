import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { randomName } from './random.ts';
import { until } from './until.ts';
import { describeIfInstalled } from './where-installed.ts';

export interface GlewlwydClient {
  id: string;
  /** Undefined for a public client. */
  secret?: string;
  authentication: 'client_secret_basic' | 'client_secret_post' | 'none';
  redirectUri: string;
}

export interface Glewlwyd {
  issuer: string;
  /** @returns the user name at the provider */
  addUser(person: { name: string; email: string; email_verified: boolean }): Promise<string>;
  /** Signs in and consents, as a person does on its pages. @returns the address that it redirects the browser to */
  signIn(authorization: string, username: string): Promise<string>;
  stop(): Promise<void>;
}

const modules = '/usr/lib/glewlwyd';
const schema = '/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3';
const scopes = ['openid', 'email', 'profile'];
const password = 'a password at the provider';

export const withGlewlwyd = describeIfInstalled(schema);

export async function startGlewlwyd(clients: GlewlwydClient[]): Promise<Glewlwyd> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-glewlwyd-'));
  const { origin, stop } = await run(folder);
  const issuer = `${origin}/api/oidc`;
  const admin = new Visitor(origin);
  // The default account of the package.
  await admin.send('POST', 'auth/', { username: 'admin', password: 'password' });
  await configure(admin, issuer);
  for (const client of clients) await admin.send('POST', 'client/', clientOf(client));
  return {
    issuer,
    stop,
    async addUser({ name, email, email_verified }) {
      const username = randomName('user');
      const account = { username, password, name, email, verified: email_verified ? '1' : '0', enabled: true };
      await admin.send('POST', 'user/', { ...account, scope: ['g_profile', ...scopes] });
      return username;
    },
    async signIn(authorization, username) {
      const visitor = new Visitor(origin);
      const login = new URL(await visitor.follow(authorization)).searchParams;
      await visitor.send('POST', 'auth/', { username, password });
      await visitor.send('PUT', `auth/grant/${login.get('client_id') ?? ''}/`, { scope: scopes.join(' ') });
      return visitor.follow(`${login.get('callback_url') ?? ''}&g_continue`);
    },
  };
}

class Visitor {
  readonly #origin: string;
  #cookie = '';

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** @throws if the request is refused */
  async send(method: string, to: string, body: object): Promise<void> {
    const headers = { 'Content-Type': 'application/json', Cookie: this.#cookie };
    const answer = await fetch(`${this.#origin}/api/${to}`, { method, headers, body: JSON.stringify(body) });
    this.#cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? this.#cookie;
    if (!answer.ok) throw new Error(`${method} ${to} of Glewlwyd: ${answer.status} ${await answer.text()}`);
  }

  /** @returns the target of the redirect */
  async follow(url: string): Promise<string> {
    const answer = await fetch(url, { redirect: 'manual', headers: { Cookie: this.#cookie } });
    const location = answer.headers.get('Location');
    if (location === null) throw new Error(`${url} of Glewlwyd: ${answer.status} ${await answer.text()}`);
    return location;
  }
}

async function run(folder: string) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const [database, file] = [path.join(folder, 'database'), path.join(folder, 'glewlwyd.conf')];
  await promisify(execFile)('sqlite3', [database, `.read ${schema}`]);
  const settings = {
    port,
    bind_address: '127.0.0.1',
    external_url: origin,
    login_url: 'login.html',
    api_prefix: 'api',
    log_mode: 'console',
    log_level: 'INFO',
    session_key: 'session',
    session_expiration: 3600,
    admin_scope: 'g_admin',
    profile_scope: 'g_profile',
    hash_algorithm: 'SHA512',
    user_module_path: `${modules}/user`,
    client_module_path: `${modules}/client`,
    user_auth_scheme_module_path: `${modules}/scheme`,
    plugin_module_path: `${modules}/plugin`,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  await writeFile(file, [...lines, `database = { type = "sqlite3" path = "${database}" };`, ''].join('\n'));
  const server = spawn('glewlwyd', ['--config-file', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => server.kill('SIGKILL'));
  const ended = once(server, 'exit');
  const started = new Promise<boolean>((resolve) => {
    createInterface(server.stdout).on('line', (line) => line.includes('started on port') && resolve(true));
  });
  if (!(await Promise.race([started, ended.then(() => false)]))) throw new Error('glewlwyd does not start');
  // It says so before it listens.
  await until('glewlwyd accepts connections', () =>
    fetch(origin).then(
      () => true,
      () => false,
    ),
  );
  const stop = async () => {
    server.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { origin, stop };
}

async function configure(admin: Visitor, issuer: string): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'key', alg: 'RS256' };
  const verified = {
    name: 'email_verified',
    'user-property': 'verified',
    type: 'boolean',
    'boolean-value-true': '1',
    'boolean-value-false': '0',
    scope: ['email'],
  };
  const parameters = {
    iss: issuer,
    'subject-type': 'public',
    'jwt-type': 'rsa',
    'jwt-key-size': '256',
    'jwks-private': JSON.stringify({ keys: [key] }),
    'jwks-show': true,
    'access-token-duration': 60,
    'refresh-token-duration': 60,
    'code-duration': 60,
    'auth-type-code-enabled': true,
    'pkce-allowed': true,
    'pkce-required': true,
    'oauth-as-iss-id': true,
    'name-claim': 'on-demand',
    'name-claim-scope': ['profile'],
    'email-claim': 'on-demand',
    'email-claim-scope': ['email'],
    claims: [verified],
  };
  await admin.send('POST', 'mod/plugin/', { module: 'oidc', name: 'oidc', display_name: 'OpenID Connect', parameters });
  // A user property that Glewlwyd does not have by default.
  const format = { verified: { multiple: false, read: true, write: true } };
  const users = { 'use-glewlwyd-connection': true, 'data-format': format };
  await admin.send('PUT', 'mod/user/database', { display_name: 'Users', parameters: users });
  await admin.send('PUT', 'mod/user/database/reset', {});
  for (const name of ['email', 'profile'])
    await admin.send('POST', 'scope/', { name, display_name: name, password_required: true, scheme: {} });
}

const clientOf = ({ id, secret, authentication, redirectUri }: GlewlwydClient) => ({
  client_id: id,
  name: id,
  enabled: true,
  confidential: secret !== undefined,
  client_secret: secret,
  scope: [],
  redirect_uri: [redirectUri],
  authorization_type: ['code'],
  token_endpoint_auth_method: [authentication],
});
