import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ TRUST_PROXY: 'loopback' });
});
afterAll(() => service.close());

const change = (user: User, currentPassword: string, newPassword: string) =>
  user.put(
    '/api/v1/user/password',
    { currentPassword, newPassword, confirmNewPassword: newPassword },
    { headers: { 'X-Forwarded-For': '192.0.2.7', 'User-Agent': 'Phone/1.0' } },
  );

const remove = (user: User, password: string) =>
  user.graphql('mutation ($password: String) { deleteAccount(password: $password) }', { password });

/** Mails contain no secrets, and nothing that looks like a sign-up code. */
function expectHarmless({ text, subject }: { text: string; subject: string }, secrets: string[]) {
  for (const secret of secrets) expect(text + subject).not.toContain(secret);
  expect(text + subject).not.toMatch(/\d{6}/);
}

describe('a mail to the user of an account reports', () => {
  test('a changed password, with device and network, and advice', async () => {
    const anna = await signUp(service);
    expect(await change(anna, 'wrong', 'another one')).toMatchObject({ status: 400 });
    expect(await change(anna, anna.password, 'the new one')).toMatchObject({ status: 200 });
    const mail = await service.mailbox.take(anna.email);
    expect(mail.subject).toBe('The password of your Taskgate account was changed');
    expect(mail.text).toContain('Device:  Phone\n');
    expect(mail.text).toContain('Network: 192.0.2.7\n');
    expect(mail.text).toContain(service.url);
    expectHarmless(mail, [anna.password, 'the new one']);
  });

  test('a deleted account, but no failed deletion', async () => {
    const anna = await signUp(service);
    expect(await remove(anna, 'wrong')).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
    expect(await remove(anna, anna.password)).toMatchObject({ data: { deleteAccount: true } });
    const mail = await service.mailbox.take(anna.email);
    expect(mail.subject).toBe('Your Taskgate account was deleted');
    expect(mail.text).toContain('Device:  node\n');
    expectHarmless(mail, [anna.password]);
  });
});
