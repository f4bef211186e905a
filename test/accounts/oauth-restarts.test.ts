import { afterEach, expect, test } from '@jest/globals';
import { codeForm, connect, postForm, refresh, registered, type Tokens } from '../kit/application.ts';
import { Program } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { tablesWith } from '../kit/tables.ts';
import { signUp } from '../kit/users.ts';

const publicUrl = 'https://tasks.example';
const secrets = {
  old: 'the secret of yesterday',
  both: 'the secret of today,the secret of yesterday',
  new: 'the secret of today',
};

let service: Service | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function restart(variables: Record<string, string>): Promise<Service> {
  const { databaseUrl } = service ?? {};
  await service?.close();
  service = await startService(
    { PUBLIC_URL: publicUrl, ...variables },
    databaseUrl === undefined ? {} : { databaseUrl },
  );
  return service;
}

test('clients and refresh tokens survive restarts and a new secret, as long as the former one is listed', async () => {
  const first = await restart({ SESSION_SECRET: secrets.old });
  const anna = await signUp(first);
  const clientId = await registered(first, { client_name: 'A name that no table has' });
  expect(await tablesWith(first, 'A name that no table has')).toEqual([]);
  const application = await connect(first, anna, { clientId });
  const { body: successor } = await refresh(first, application);
  const second = await restart({ SESSION_SECRET: secrets.both });
  // The answer of the first process, by the former secret.
  expect((await refresh(second, application)).body).toMatchObject({
    access_token: successor.access_token,
    refresh_token: successor.refresh_token,
  });
  const next = await refresh(second, application, { refresh_token: successor.refresh_token });
  expect(await new Program(second, next.body.access_token).get('/api/v2/todo')).toMatchObject({ status: 200 });
  expect(
    await postForm<Tokens>(second, '/oauth/token', await codeForm(second, await signUp(second), { clientId })),
  ).toMatchObject({
    status: 200,
  });
  const third = await restart({ SESSION_SECRET: secrets.new });
  expect(await refresh(third, application, { refresh_token: next.body.refresh_token })).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  });
});

test('the issuer is PUBLIC_URL, whatever the Host says', async () => {
  const { anonymous } = await restart({});
  const { body } = await anonymous.get('/.well-known/oauth-authorization-server', {
    headers: { Host: 'evil.example' },
  });
  expect(body).toMatchObject({ issuer: publicUrl, token_endpoint: `${publicUrl}/oauth/token` });
});

test('without the console there are no endpoints', async () => {
  const { anonymous } = await restart({ CONSOLE: 'off' });
  const { body: missing } = await anonymous.get('/nothing');
  for (const path of ['oauth-authorization-server', 'oauth-protected-resource', 'oauth-protected-resource/mcp'])
    expect(await anonymous.get(`/.well-known/${path}`)).toMatchObject({ status: 404, body: missing });
  for (const path of ['token', 'revoke', 'register', 'authorize'])
    expect(await anonymous.post(`/oauth/${path}`, {})).toMatchObject({ status: 404, body: missing });
  expect(await anonymous.get('/oauth/authorize', { headers: { Accept: 'text/html' } })).toMatchObject({ status: 404 });
});
