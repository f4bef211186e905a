import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Secret, TOTP } from 'otpauth';
import { Authenticator, type PasskeyOptions } from '../kit/authenticator.ts';
import { type CapturedLog, captureLog, levels } from '../kit/log-lines.ts';
import { makeProgram, Program } from '../kit/program.ts';
import { lyingProvider, PublicBrowser, makePerson, viewerOf } from '../kit/providers.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

const publicUrl = 'http://127.0.0.1:39750';

let service: Service;
let provider: Awaited<ReturnType<typeof lyingProvider>>;
let captured: CapturedLog;
beforeAll(async () => {
  const log = captureLog();
  provider = await lyingProvider('taskgate');
  service = await startService({
    LOG_LEVEL: 'info',
    PUBLIC_URL: publicUrl,
    OIDC_LIAR_ISSUER: provider.issuer,
    OIDC_LIAR_CLIENT_ID: 'taskgate',
  });
  log.release();
});
afterAll(async () => {
  await service.close();
  await provider.close();
});
beforeEach(() => {
  captured = captureLog();
});
afterEach(() => captured.release());

const event = (name: string) => captured.line({ msg: 'security', event: name });
const expectNotLogged = (...secrets: string[]) => {
  for (const secret of secrets) expect(JSON.stringify(captured.lines)).not.toContain(secret);
};

test('has the outcomes of sign-ins with a provider', async () => {
  provider.person = makePerson();
  const browser = new PublicBrowser(service, publicUrl);
  await browser.signIn('liar');
  const { id = '' } = (await viewerOf(browser)) ?? {};
  expect(await event('user_created')).toMatchObject({ level: levels.info, userId: id });
  await browser.signIn('liar');
  expect(await event('authn_login_success')).toMatchObject({ level: levels.info, userId: id });
  provider.setFaults({ alg: 'none' });
  await browser.signIn('liar');
  provider.setFaults({});
  expect(await event('authn_provider_fail')).toMatchObject({ level: levels.warn, reason: 'PROVIDER_UNAVAILABLE' });
  const { provider: name, error } = await captured.line({ msg: 'a provider could not sign anybody in' });
  expect([name, error]).toEqual(['liar', expect.objectContaining({ code: expect.stringMatching(/./) })]);
  expectNotLogged(provider.person.sub, provider.person.email ?? '');
});

test("has the reason of a provider's refusal, and nothing else of its response", async () => {
  provider.person = makePerson();
  const description = 'What the provider says beside its reason';
  const body = JSON.stringify({ error: 'invalid_grant', error_description: description, extra: provider.person.sub });
  provider.setFaults({
    token: (response) => response.writeHead(400, { 'Content-Type': 'application/json' }).end(body),
  });
  await new PublicBrowser(service, publicUrl).signIn('liar');
  provider.setFaults({});
  const line = { msg: 'a provider could not sign anybody in', oauthError: 'invalid_grant' };
  expect(await captured.line(line)).toMatchObject({ level: levels.warn, provider: 'liar' });
  expectNotLogged(description, provider.person.sub);
});

test('has added and removed links to providers', async () => {
  const anna = await signUp(service);
  const browser = new PublicBrowser(service, publicUrl, anna.cookie);
  provider.person = makePerson();
  await browser.visit(await browser.goToCallback((await browser.link('liar')).body.url));
  const link = { level: levels.info, userId: anna.id, provider: 'liar' };
  expect(await event('authn_provider_linked')).toMatchObject(link);
  await browser.data('mutation { unlinkProvider(provider: "liar") { id } }');
  expect(await event('authn_provider_unlinked')).toMatchObject(link);
});

test('has added, removed and failed factors', async () => {
  const anna = await signUp(service);
  const changed = { level: levels.info, userId: anna.id };
  const { startTotp } = await anna.data<{ startTotp: { secret: string } }>('mutation { startTotp { secret } }');
  await anna.graphql('mutation { confirmTotp(code: "000000") { recoveryCodes } }');
  expect(await event('authn_factor_fail')).toMatchObject({ level: levels.warn, userId: anna.id, factor: 'totp' });
  const code = new TOTP({ secret: Secret.fromBase32(startTotp.secret) }).generate();
  const { confirmTotp } = await anna.data<{ confirmTotp: { recoveryCodes: string[] } }>(
    `mutation { confirmTotp(code: "${code}") { recoveryCodes } }`,
  );
  expect(await event('authn_factor_change')).toMatchObject({ ...changed, factor: 'totp', change: 'added' });
  captured.lines.length = 0;
  const [recoveryCode = ''] = confirmTotp.recoveryCodes;
  await anna.data(`mutation { disableTotp(code: "${recoveryCode}") { totp } }`);
  expect(await event('authn_factor_change')).toMatchObject({ ...changed, factor: 'totp', change: 'removed' });
  captured.lines.length = 0;
  const authenticator = new Authenticator(publicUrl);
  const { options } = await anna.data<{ options: PasskeyOptions }>('mutation { options: startPasskeyRegistration }');
  const finish = `mutation ($response: JSON!) { finishPasskeyRegistration(response: $response, name: "Phone") { id } }`;
  const { finishPasskeyRegistration } = await anna.data<{ finishPasskeyRegistration: { id: string } }>(finish, {
    response: authenticator.create(options),
  });
  expect(await event('authn_factor_change')).toMatchObject({ ...changed, factor: 'passkey', change: 'added' });
  captured.lines.length = 0;
  await anna.data(`mutation { deletePasskey(id: "${finishPasskeyRegistration.id}") }`);
  expect(await event('authn_factor_change')).toMatchObject({ ...changed, factor: 'passkey', change: 'removed' });
  const { options: creationOptions } = await anna.data<{ options: PasskeyOptions }>(
    'mutation { options: startPasskeySignIn }',
  );
  const signIn = 'mutation ($response: JSON!) { finishPasskeySignIn(response: $response) { id } }';
  captured.lines.length = 0;
  await service.anonymous.graphql(signIn, { response: authenticator.get(creationOptions) });
  expect(await event('authn_factor_fail')).toMatchObject({ level: levels.warn, factor: 'passkey' });
  expectNotLogged(startTotp.secret, recoveryCode);
});

test('has created, revoked and invalid access tokens', async () => {
  const anna = await signUp(service);
  const program = await makeProgram(service, anna);
  const token = { level: levels.info, userId: anna.id, tokenId: program.tokenId };
  expect(await event('authn_token_created')).toMatchObject(token);
  await anna.data(`mutation { revokeAccessToken(id: "${program.tokenId}") }`);
  expect(await event('authn_token_revoked')).toMatchObject(token);
  await new Program(service, program.token).get('/api/v2/todo');
  expect(await event('authn_token_fail')).toMatchObject({ level: levels.warn });
  expectNotLogged(program.token);
});

test('has reset passwords and changed addresses', async () => {
  const anna = await signUp(service);
  const { email } = anna;
  const moved = randomEmail();
  const change =
    'mutation ($email: String!, $password: String) { requestEmailChange(email: $email, password: $password) }';
  await anna.data(change, { email: moved, password: anna.password });
  expect(await event('authn_code_requested')).toMatchObject({ userId: anna.id, purpose: 'EMAIL_CHANGE' });
  await anna.data(`mutation { confirmEmailChange(code: "${await service.mailbox.takeCode(moved)}") { id } }`);
  expect(await event('authn_email_change')).toMatchObject({ level: levels.info, userId: anna.id });
  captured.lines.length = 0;
  await service.anonymous.post('/api/v1/user/password/send-otp', { email: moved });
  expect(await event('authn_code_requested')).toMatchObject({ purpose: 'PASSWORD_RESET' });
  const code = await service.mailbox.takeCode(moved);
  const reset = (code: string) =>
    service.anonymous.post('/api/v1/user/password/reset', { email: moved, code, password: 'secret words' });
  await reset(code === '000000' ? '000001' : '000000');
  expect(await event('authn_code_fail')).toMatchObject({ level: levels.warn, purpose: 'PASSWORD_RESET' });
  await reset(code);
  expect(await event('authn_password_reset')).toMatchObject({ level: levels.info, userId: anna.id });
  expect(await event('session_expired')).toMatchObject({ userId: anna.id, reason: 'password_reset' });
  // The code is logged, because no mail server is configured.
  expectNotLogged(email, 'secret words');
});
