import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/config/config.ts';

describe('MAIL_FROM', () => {
  test.each(['tasks@localhost', 'Ann, Inc. <ann@example.com>', '"a b"@example.com', 'ü <ü@ü.de>', 'a@[127.0.0.1]'])(
    'may be %s',
    (sender) => {
      expect(loadConfig({ MAIL_FROM: sender })).toMatchObject({ mailFrom: sender });
    },
  );

  test.each([
    'nobody@',
    '@example.com',
    'Tasks (tasks@example.com)',
    'mailto:tasks@example.com',
    'tasks@example.com, other@example.com',
  ])('is not %j, which is no single sender', (sender) => {
    expect(() => loadConfig({ MAIL_FROM: sender })).toThrow('MAIL_FROM must be one e-mail address');
  });
});

describe('SMTP_URL', () => {
  test('may have options', () => {
    const smtpUrl = 'smtp://h?socketTimeout=5000&requireTLS=true';
    expect(loadConfig({ SMTP_URL: smtpUrl })).toMatchObject({ smtpUrl });
  });

  test.each([
    'requireTls=true',
    'requiretls=true',
    'tls.rejectunauthorized=true',
    'x=1',
    'socketTimeout=1&socketTimeout=2',
  ])('has no unknown or repeated parameter such as %s, which would have no effect', (options) => {
    const message = /^SMTP_URL must be a URL whose parameters are of [^\n;]*, requireTLS, [^\n;]*, each once$/;
    expect(() => loadConfig({ SMTP_URL: `smtp://h?${options}` })).toThrow(message);
  });

  test.each(['requireTLS=True', 'ignoreTLS=FALSE', 'secure=off', 'requireTLS=', 'tls.rejectUnauthorized=no'])(
    'has no flag such as %s, which would count as another one',
    (options) => {
      const message = /^SMTP_URL must be a URL in which [^\n;]* are true or false$/;
      expect(() => loadConfig({ SMTP_URL: `smtp://h?${options}` })).toThrow(message);
    },
  );

  test.each(['socketTimeout=10s', 'connectionTimeout=-1', 'greetingTimeout=2147483648'])(
    'has no timeout such as %s, which would end the process at the first mail',
    (options) => {
      expect(() => loadConfig({ SMTP_URL: `smtp://h?${options}` })).toThrow('SMTP_URL must be a URL whose timeouts');
    },
  );
});

test('MAIL_TO_FILES is off beside SMTP_URL, because mails would be sent nevertheless', () => {
  expect(() => loadConfig({ MAIL_TO_FILES: 'on', SMTP_URL: 'smtp://h' })).toThrow(/^MAIL_TO_FILES must be off beside/);
});
