import { Secret, TOTP } from 'otpauth';
import { Authenticator, type PasskeyOptions } from '../kit/authenticator.ts';
import { queryFor, registered, tryToAllow } from '../kit/application.ts';
import { lyingProvider, PublicBrowser, makePerson } from '../kit/providers.ts';
import { type Service, startService } from '../kit/service.ts';
import type { User } from '../kit/users.ts';

export const publicUrl = 'http://127.0.0.1:39767';

export const newPassword = 'another password';

/** A service with a provider and a trusted provider. */
export class WaysIn {
  readonly service: Service;
  readonly liar: Awaited<ReturnType<typeof lyingProvider>>;

  private constructor(service: Service, liar: Awaited<ReturnType<typeof lyingProvider>>) {
    [this.service, this.liar] = [service, liar];
  }

  static async open(): Promise<WaysIn> {
    const liar = await lyingProvider('taskgate');
    const variables = {
      PUBLIC_URL: publicUrl,
      OIDC_LIAR_ISSUER: liar.issuer,
      OIDC_LIAR_CLIENT_ID: 'taskgate',
      OIDC_LIAR_LABEL: 'Liar & Sons',
      OIDC_TRUSTED_ISSUER: liar.issuer,
      OIDC_TRUSTED_CLIENT_ID: 'taskgate',
      OIDC_TRUSTED_TRUST_EMAIL: 'on',
    };
    return new WaysIn(await startService(variables), liar);
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.liar.close();
  }

  /** Returns the next mail with these words, and drops earlier mails. */
  async mailWith(words: string, address: string): Promise<string> {
    for (;;) {
      const { subject, text } = await this.service.mailbox.take(address);
      const line = `${subject} ${text.replaceAll(/\s+/g, ' ')}`;
      if (line.includes(words)) return text;
    }
  }

  async resetCode({ email }: User): Promise<string> {
    await this.service.anonymous.data(`mutation { requestPasswordReset(email: "${email}") }`);
    const text = await this.mailWith('is your Taskgate code', email);
    return /\b\d{6}\b/.exec(text)?.[0] ?? '';
  }

  async addPasskey(user: User, authenticator = new Authenticator(publicUrl)) {
    const { options } = await user.data<{ options: PasskeyOptions }>('mutation { options: startPasskeyRegistration }');
    return user.graphql<{ passkey: { id: string } }>(
      'mutation ($response: JSON!) { passkey: finishPasskeyRegistration(response: $response, name: "Key at w.x") { id } }',
      { response: authenticator.create(options) },
    );
  }

  async startTotp(user: User) {
    const { totp } = await user.data<{ totp: { secret: string } }>('mutation { totp: startTotp { secret } }');
    const code = new TOTP({ secret: Secret.fromBase32(totp.secret) }).generate();
    const confirm = `mutation { totp: confirmTotp(code: "${code}") { recoveryCodes } }`;
    return () => user.graphql<{ totp: { recoveryCodes: string[] } }>(confirm);
  }

  async recoveryCodeOf(user: User): Promise<string> {
    const confirm = await this.startTotp(user);
    return (await confirm()).data?.totp.recoveryCodes[0] ?? '';
  }

  createToken(user: User) {
    return user.graphql<{ made: { accessToken: { id: string } } }>(
      'mutation { made: createAccessToken(input: { name: "Bot of w.x", scopes: [READ] }) { accessToken { id } } }',
    );
  }

  async allowApplication(user: User) {
    return tryToAllow(user, queryFor(await registered(this.service, { client_name: 'Bot of w.x' })));
  }

  async startLink(user: User, person = makePerson()) {
    this.liar.person = person;
    const browser = new PublicBrowser(this.service, publicUrl, user.cookie);
    const callback = await browser.goToCallback((await browser.link('liar')).body.url);
    return () => browser.visit(callback);
  }

  async link(user: User, person = makePerson()) {
    const callback = await this.startLink(user, person);
    return callback();
  }

  /** The ways into an account without the times of their use. Null for each missing way. */
  async signInMethodsOf({ id }: User): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.service.sql(
      `SELECT u.email, u.password_hash, u.provider,
         (SELECT json_agg(p.id ORDER BY p.id) FROM passkeys p WHERE user_id = $1) AS passkeys,
         (SELECT json_agg(l ORDER BY subject) FROM provider_links l WHERE user_id = $1) AS links,
         (SELECT json_agg(json_build_array(secret, recovery_hashes)) FROM totp_factors WHERE user_id = $1) AS totp,
         (SELECT json_agg(t.id) FROM access_tokens t WHERE user_id = $1 AND coalesce(expires_at, 'infinity') > now()) AS tokens
       FROM users u WHERE id = $1`,
      [id],
    );
    return row;
  }
}
