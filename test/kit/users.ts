import { Client } from './client.ts';
import { randomEmail, randomName } from './random.ts';
import type { Entrance } from './service.ts';

/** A client with the session of an account of its own. */
export class User extends Client {
  readonly id: string;
  readonly email: string;
  readonly password: string;

  constructor(
    service: { url: string },
    cookie: string | undefined,
    account: { id: string; email: string; password: string },
  ) {
    super(service.url, cookie);
    this.id = account.id;
    this.email = account.email;
    this.password = account.password;
  }
}

/** Asks for a code and reads it from the mail. */
export async function requestCode(service: Entrance, email: string): Promise<string> {
  const { status, body } = await service.anonymous.post('/api/v1/user/signup/send-otp', { email });
  if (status !== 200) throw new Error(`send-otp answered ${status}: ${JSON.stringify(body)}`);
  return service.mailbox.takeCode(email);
}

/** Makes an account through the endpoints that a user goes through, and signs it in. */
export async function signUp(service: Entrance, { email = randomEmail() } = {}): Promise<User> {
  const password = randomName('password');
  const client = service.client();
  const code = await requestCode(service, email);
  const { status, body } = await client.post('/api/v1/user/signup/verify', { email, code, password });
  if (status !== 200) throw new Error(`verify answered ${status}: ${JSON.stringify(body)}`);
  const profile = await client.get<{ user: { id: string } }>('/api/v1/user/profile');
  return new User(service, client.cookie, { id: profile.body.user.id, email, password });
}

/**
 * Signs the user in once more: a second session of the same account.
 * @param headers of the request, such as the `User-Agent` of another device
 */
export async function signInAgain(
  service: { url: string },
  { id, email, password }: User,
  headers: Record<string, string> = {},
): Promise<User> {
  const client = new Client(service.url);
  const { status, body } = await client.post('/api/v1/user/signin', { email, password }, { headers });
  if (status !== 200) throw new Error(`signin answered ${status}: ${JSON.stringify(body)}`);
  return new User(service, client.cookie, { id, email, password });
}
