import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { isAllowedOrigin } from '../../src/http/origins.ts';
import { type Service, startService } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';

const csrf = { 'x-graphql-yoga-csrf': '1' };
const mutation = 'mutation { updateProfile(name: "Mallory") { name } }';
const upload = 'mutation($image: Upload) { updateProfile(name: "Anna", image: $image) { name image } }';

/** A form of the graphql-multipart-request-spec. */
function form(query: string, file?: Uint8Array<ArrayBuffer>, path = 'variables.image'): FormData {
  const data = new FormData();
  data.set('operations', JSON.stringify({ query, variables: { image: null } }));
  data.set('map', JSON.stringify(file ? { file: [path] } : {}));
  if (file) data.set('file', new Blob([file], { type: 'image/png' }), 'avatar.png');
  return data;
}

const part = (disposition: string) => `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;

describe('requests from other sites (OWASP ASVS 3.5)', () => {
  let service: Service;
  let anna: User;
  let otherOrigin: Service['url'];
  beforeAll(async () => {
    otherOrigin = 'https://evil.example';
    service = await startService({ CORS_ORIGINS: 'https://app.example' });
    anna = await signUp(service);
    await anna.data('mutation { updateProfile(name: "Anna") { id } }');
  });
  afterAll(() => service.close());

  const readName = async () => (await anna.data<{ viewer: { name: string } }>('{ viewer { name } }')).viewer.name;
  const foreign = { 'Sec-Fetch-Site': 'cross-site' };
  const sameSiteHeaders = { 'Sec-Fetch-Site': 'same-site' };
  const encoded = new URLSearchParams({ query: mutation }).toString();

  test.each<[string, string, string, string | FormData | undefined, Record<string, string>]>([
    ['a form', 'POST', '/graphql', encoded, { 'Content-Type': 'application/x-www-form-urlencoded' }],
    [
      'a form with parameters of its type',
      'POST',
      '/graphql',
      encoded,
      { 'Content-Type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8' },
    ],
    ['a form with files', 'POST', '/graphql', form(mutation), {}],
    ['a form of plain text', 'POST', '/graphql', JSON.stringify({ query: mutation }), { 'Content-Type': 'text/plain' }],
    ['a request without content type', 'POST', '/graphql', JSON.stringify({ query: mutation }), { 'Content-Type': '' }],
    ['a link', 'GET', `/graphql?${encoded}`, undefined, foreign],
    ['a link to data', 'GET', '/graphql?query={viewer{email}}', undefined, foreign],
    ['a link of another host of the site', 'GET', '/graphql?query={viewer{email}}', undefined, sameSiteHeaders],
    ['a script', 'GET', '/graphql?query={viewer{email}}', undefined, { ...foreign, Origin: 'https://evil.example' }],
    ['a script of an older browser', 'GET', '/graphql?query={viewer{email}}', undefined, { Origin: 'null' }],
    [
      'an EventSource',
      'GET',
      '/graphql?query=subscription{taskChanges{cursor}}',
      undefined,
      { Accept: 'text/event-stream', ...foreign },
    ],
    [
      'a mutation by an EventSource',
      'GET',
      `/graphql?${encoded}`,
      undefined,
      { Accept: 'text/event-stream', ...foreign },
    ],
  ])('%s does nothing', async (_name, method, path, body, headers) => {
    const answer = await anna.send(method, path, body, { headers });
    expect(answer).toMatchObject({ status: 403, body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } });
    expect(await readName()).toBe('Anna');
  });

  test.each<[string, Record<string, string>]>([
    ['no browser', {}],
    ['a user who opens it', { 'Sec-Fetch-Site': 'none' }],
    ['a page of the service', { 'Sec-Fetch-Site': 'same-origin' }],
    ['a page that is listed', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://app.example' }],
    ['a foreign page that was given leave', { ...foreign, ...csrf }],
  ])('a GET of %s only reads', async (_label, headers) => {
    const read = await anna.get('/graphql?query={viewer{name}}', { headers });
    expect(read).toMatchObject({ status: 200, body: { data: { viewer: { name: 'Anna' } } } });
    expect(await anna.get(`/graphql?${encoded}`, { headers })).toMatchObject({ status: 405 });
    expect(await readName()).toBe('Anna');
  });

  test.each([
    ['/graphql', { query: mutation }, { errors: [{ extensions: { code: 'FORBIDDEN' } }] }],
    ['/api/v1/user/logout', undefined, { code: 'FORBIDDEN' }],
  ])('a script of another origin changes nothing at %s', async (path, body, refusal) => {
    const answer = await anna.post(path, body, { headers: { ...csrf, Origin: otherOrigin } });
    expect(answer).toMatchObject({ status: 403, body: refusal });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(await readName()).toBe('Anna');
  });

  test('a preflight of another origin is refused in the form of the contract', async () => {
    const headers = { Origin: otherOrigin, 'Access-Control-Request-Method': 'POST' };
    expect(await anna.send('OPTIONS', '/api/v2/todo', undefined, { headers })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', message: expect.any(String) },
    });
  });

  test.each(['/graphql', '/api/v1/user/profile'])('CORS at %s: the listed origins, with credentials', async (path) => {
    const preflight = (origin: string) =>
      anna.send('OPTIONS', path, undefined, {
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'content-type',
        },
      });
    const allowed = await preflight('https://app.example');
    expect(allowed.status).toBe(200);
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'content-type',
    });
    expect(allowed.headers.get('vary')).toContain('Origin');
    for (const origin of [otherOrigin, 'null', 'https://app.example.evil.example', 'http://app.example']) {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test.each<[string | undefined, string, boolean]>([
    [undefined, 'tasks.example', true],
    ['https://tasks.example', 'proxy.internal', true],
    ['https://app.example', 'tasks.example', true],
    ['https://other.example', 'Other.Example', true],
    ['http://tasks.example', 'tasks.example', false],
    ['https://tasks.example:8443', 'tasks.example', false],
    ['https://evil.example', 'tasks.example', false],
    ['null', 'null', false],
  ])('origin %s at host %s: %s', (origin, host, allowed) => {
    const { securityLog } = service.services;
    const options = { publicUrl: 'https://tasks.example', corsOrigins: ['https://app.example'], securityLog };
    expect(isAllowedOrigin(origin, host, options)).toBe(allowed);
  });

  test('the service’s own pages and listed origins may change something', async () => {
    for (const origin of [service.url, 'https://app.example']) {
      const query = 'mutation { updateProfile(name: "Anna") { name } }';
      const answer = await anna.post('/graphql', { query }, { headers: { Origin: origin } });
      expect(answer).toMatchObject({ status: 200, body: { data: { updateProfile: { name: 'Anna' } } } });
    }
  });
});

describe('files over /graphql (graphql-multipart-request-spec)', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });

  test('an avatar is stored', async () => {
    const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const answer = await anna.post('/graphql', form(upload, new Uint8Array(png)), { headers: csrf });
    expect(answer).toMatchObject({
      status: 200,
      body: { data: { updateProfile: { image: expect.stringContaining('/avatars/') } } },
    });
  });

  test('a file of more than 5 MiB is refused', async () => {
    const answer = await anna.post('/graphql', form(upload, new Uint8Array(5 * 1024 * 1024 + 1)), { headers: csrf });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            extensions: {
              code: 'VALIDATION_FAILED',
              errors: [{ path: 'file', message: 'must be at most 5 MiB in size' }],
            },
          },
        ],
      },
    });
  });

  test.each(['variables.other', 'variables.__proto__.image', 'variables', 'query', 'operationName', ''])(
    'a file cannot be put at %j',
    async (path) => {
      const answer = await anna.post('/graphql', form(upload, new Uint8Array(1), path), { headers: csrf });
      expect(answer).toMatchObject({
        status: 400,
        body: { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'map.file' }] } }] },
      });
    },
  );

  test.each<[string, string, string?]>([
    ['that names no boundary', '--x--\r\n', 'multipart/form-data'],
    ['that has no boundary in it', 'nothing of the kind'],
    ['that is empty', ''],
    ['that ends in the middle of a file', `${part('name="file"; filename="a.png"')}half`],
    ['with a part without a name', `${part('name=""')}1\r\n--x--\r\n`],
    ['with a part whose header is none', '--x\r\nNonsense\r\n\r\n1\r\n--x--\r\n'],
    ['with operations that are no JSON', `${part('name="operations"')}{\r\n--x--\r\n`],
  ])('a form %s is refused', async (_label, body, type = 'multipart/form-data; boundary=x') => {
    const answer = await anna.send('POST', '/graphql', body, { headers: { ...csrf, 'Content-Type': type } });
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: expect.any(String) }] } }] },
    });
  });

  test('a form without an operation is refused', async () => {
    const empty = new FormData();
    empty.set('a', 'b');
    expect(await anna.post('/graphql', empty, { headers: csrf })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'operations' }] } }] },
    });
  });
});
