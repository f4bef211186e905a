import { Client } from './client.ts';
import type { User } from './users.ts';

/** What an access token is made with, in addition to its name. */
interface TokenOptions {
  scopes?: ('READ' | 'WRITE')[];
  spaceIds?: string[];
  expiresAt?: string;
}

/** A program that comes in by an access token. */
export class Program extends Client {
  readonly token: string;
  /** Of the token; empty where the program made it up. */
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

/** Makes an access token of the user's; one that may write and reaches all, where nothing else is said. */
export async function makeProgram(service: { url: string }, user: User, options: TokenOptions = {}): Promise<Program> {
  const input = { name: 'script', scopes: ['WRITE'], ...options };
  const { createAccessToken: made } = await user.data<{
    createAccessToken: { token: string; accessToken: { id: string } };
  }>('mutation ($input: CreateAccessTokenInput!) { createAccessToken(input: $input) { token accessToken { id } } }', {
    input,
  });
  return new Program(service, made.token, made.accessToken.id);
}
