import { Client } from './client.ts';
import type { User } from './users.ts';

interface TokenOptions {
  name?: string;
  scopes?: ('READ' | 'WRITE')[];
  spaceIds?: string[];
  expiresAt?: string;
}

/** A client with an access token. */
export class Program extends Client {
  readonly token: string;
  readonly tokenId: string;

  constructor(service: { url: string }, token: string, tokenId = '') {
    super(service.url);
    this.token = token;
    this.tokenId = tokenId;
  }

  override send<Body = unknown>(...[method, path, body, options]: Parameters<Client['send']>) {
    const headers = { Authorization: `Bearer ${this.token}`, ...options?.headers };
    return super.send<Body>(method, path, body, { ...options, headers });
  }
}

/** Creates an access token, by default with write access everywhere. */
export async function makeProgram(service: { url: string }, user: User, options: TokenOptions = {}): Promise<Program> {
  const input = { name: 'script', scopes: ['WRITE'], ...options };
  const { createAccessToken: accessToken } = await user.data<{
    createAccessToken: { token: string; accessToken: { id: string } };
  }>('mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token accessToken { id } } }', {
    input,
  });
  return new Program(service, accessToken.token, accessToken.accessToken.id);
}
