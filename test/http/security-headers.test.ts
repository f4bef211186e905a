import { afterEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import type { Client } from '../kit/client.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

let service: Service;
afterEach(() => service.close());

const paths = [
  '/api/v2/todo',
  '/api/v2/export',
  '/api/v2/todo/task_none',
  '/api/v2/todo/%ff',
  '/api/v1/auth-check',
  '/graphql?query={__typename}',
  '/graphql?query={',
  '/avatars/none.png',
  '/healthz',
  '/readyz',
  '/api/openapi.json',
  '/nowhere',
];

const policyOf = (headers: Headers) =>
  new Map(
    (headers.get('content-security-policy') ?? '').split(';').map((each) => {
      const [name = '', ...sources] = each.trim().split(' ');
      return [name, sources.join(' ')];
    }),
  );

async function avatarOf(user: Client): Promise<string> {
  const form = new FormData();
  form.set('name', 'Anna');
  const pixel = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  form.set('image', new Blob([new Uint8Array(pixel)]), 'me.png');
  await user.post('/api/v1/user/profile', form);
  const { body } = await user.get<{ user: { image: string } }>('/api/v1/user/profile');
  return new URL(body.user.image).pathname;
}

describe('the headers of every response', () => {
  test('make browsers treat it as data only: no sniffing, no scripts, no frames, no referrer', async () => {
    service = await startService();
    const anna = await signUp(service);
    const avatar = await avatarOf(anna);
    for (const path of [...paths, avatar]) {
      for (const client of [anna, service.anonymous]) {
        const { headers } = await client.get(path);
        const received = { path, ...Object.fromEntries(headers) };
        expect(received).toMatchObject({
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': path === avatar ? 'cross-origin' : 'same-origin',
        });
        expect(received).not.toHaveProperty('x-powered-by');
        expect(Object.fromEntries(policyOf(headers))).toEqual({
          'default-src': "'none'",
          'object-src': "'none'",
          'base-uri': "'none'",
          'form-action': "'none'",
          'frame-ancestors': "'none'",
          sandbox: '',
        });
      }
    }
  });

  test('let pages load only their own files, and forbid frames', async () => {
    service = await startService();
    for (const path of ['/docs', '/graphql']) {
      const { status, headers } = await service.anonymous.get(path, { headers: { Accept: 'text/html' } });
      expect([path, status]).toEqual([path, 200]);
      const policy = policyOf(headers);
      expect(policy.get('default-src')).toBe("'none'");
      expect(policy.get('script-src')).not.toMatch(/unsafe|https?:|\*/);
      for (const name of ['object-src', 'base-uri', 'form-action', 'frame-ancestors']) {
        expect([path, name, policy.get(name)]).toEqual([path, name, "'none'"]);
      }
    }
  });

  test('make browsers use https for a year, also for subdomains, if PUBLIC_URL is https', async () => {
    service = await startService({ PUBLIC_URL: 'https://tasks.example.com' });
    for (const path of [...paths, '/docs']) {
      const { headers, status } = await service.anonymous.get(path);
      // A plain-text request has to fail visibly (OWASP ASVS 4.1.2).
      expect([path, status >= 300 && status < 400]).toEqual([path, false]);
      expect([path, headers.get('strict-transport-security')]).toEqual([path, 'max-age=31536000; includeSubDomains']);
    }
    await service.close();
    service = await startService();
    for (const path of paths) {
      expect((await service.anonymous.get(path)).headers.get('strict-transport-security')).toBeNull();
    }
  });

  test('name the type of the content, with the charset of text', async () => {
    service = await startService();
    for (const path of [...paths, '/docs', '/docs/page.js', '/docs/assets/swagger-ui.css']) {
      const { headers, status } = await service.anonymous.get(path);
      if (status === 304) continue;
      expect([path, headers.get('content-type')]).toEqual([
        path,
        expect.stringMatching(/^(application\/(graphql-response\+)?json|text\/(html|javascript|css)); charset=utf-8$/i),
      ]);
    }
  });
});
