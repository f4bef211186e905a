import { beforeAll, expect, test } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { allow } from '../kit/application.ts';
import { Program } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

// eslint-disable-next-line @typescript-eslint/no-deprecated -- tests have no TLS
const overHttp = { [oauth.allowInsecureRequests]: true };

test("oauth4webapi connects with the service's URL alone, refreshes, and revokes", async () => {
  const anna = await signUp(service);
  const resource = new URL(`${service.url}/mcp`);
  const { authorization_servers: [issuer = ''] = [], ...metadata } = await oauth.processResourceDiscoveryResponse(
    resource,
    await oauth.resourceDiscoveryRequest(resource, overHttp),
  );
  const server = await oauth.processDiscoveryResponse(
    new URL(issuer),
    await oauth.discoveryRequest(new URL(issuer), { ...overHttp, algorithm: 'oauth2' }),
  );
  const redirectUri = 'http://127.0.0.1:51212/callback';
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'Tester', redirect_uris: [redirectUri] },
      overHttp,
    ),
  );
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    scope: metadata.scopes_supported?.join(' ') ?? '',
    resource: resource.href,
    state,
  });
  const parameters = oauth.validateAuthResponse(server, client, await allow(anna, query.toString()), state);
  const none = oauth.None();
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(server, client, none, parameters, redirectUri, verifier, {
      ...overHttp,
      additionalParameters: { resource: resource.href },
    }),
  );
  expect(await new Program(service, tokens.access_token).get('/api/v2/todo')).toMatchObject({ status: 200 });
  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token ?? '', overHttp),
  );
  expect(await new Program(service, refreshed.access_token).get('/api/v2/todo')).toMatchObject({ status: 200 });
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(server, client, none, refreshed.refresh_token ?? '', overHttp),
  );
  for (const { access_token: token } of [tokens, refreshed])
    expect(await new Program(service, token).get('/api/v2/todo')).toMatchObject({ status: 401 });
});
