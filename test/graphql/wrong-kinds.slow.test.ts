import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Client, GraphqlAnswer } from '../kit/client.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { wrongKindsAt, jsonValues, inputPlaces } from './wrong-kinds.ts';

type Result = GraphqlAnswer<unknown>;

const headers = { Accept: 'application/graphql-response+json' };

const codeOf = (result: Result | undefined) => result?.errors?.[0]?.extensions.code;

const isFault = (code: string | undefined) => code === 'INTERNAL' || code === 'UNAVAILABLE';

async function findWrong(client: Client, sent: object[], isUnexpected: (code: string | undefined) => boolean) {
  if (sent.length === 0) return [];
  const { body: results } = await client.post<Result[]>('/graphql', sent);
  return sent.map((body, index) => ({ body, code: codeOf(results[index]) })).filter(({ code }) => isUnexpected(code));
}

/** Divisor of the tried values. `VALUES=all` tries all. */
const share = process.env['VALUES'] === 'all' ? 1 : 6;

describe('a value of the wrong kind is refused before anything reads it', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });

  // Together the places get all values.
  test.each(inputPlaces().map((place, index) => ({ ...place, index })))('$name', async ({ index, ...place }) => {
    const sent = wrongKindsAt(place).filter((_value, at) => (at + index) % share === 0);
    const refusedBodies = sent.filter(({ isAccepted }) => !isAccepted).map(({ body }) => body);
    const acceptedBodies = sent.filter(({ isAccepted }) => isAccepted).map(({ body }) => body);
    expect(await findWrong(service.anonymous, refusedBodies, (code) => code !== 'VALIDATION_FAILED')).toEqual([]);
    expect(await findWrong(anna, acceptedBodies, isFault)).toEqual([]);
    // Only the response to a single operation has a status.
    const [single] = refusedBodies;
    if (single) expect(await anna.post('/graphql', single, { headers })).toMatchObject({ status: 400 });
  });

  test.each([
    ['finishPasskeyRegistration', 'mutation ($v: JSON!) { finishPasskeyRegistration(response: $v, name: "x") { id } }'],
    ['finishPasskeySignIn', 'mutation ($v: JSON!) { finishPasskeySignIn(response: $v) { id } }'],
  ])('%s, whose response may be any JSON', async (_name, query) => {
    for (const v of jsonValues) {
      const { body } = await anna.post<Result>('/graphql', { query, variables: { v } }, { headers });
      expect([v, codeOf(body)]).toEqual([v, 'VALIDATION_FAILED']);
    }
  });

  test.each([
    ['an enum', '$v: TaskOrder', 'orderBy: $v'],
    ['an input object', '$v: TaskFilter', 'filter: $v'],
    ['a field of it', '$v: [ID!]', 'filter: { tagIds: $v }'],
  ])('a file in place of %s', async (_name, variable, argument) => {
    const form = new FormData();
    const query = `query (${variable}) { tasks(${argument}) { __typename } }`;
    form.set('operations', JSON.stringify({ query, variables: { v: null } }));
    form.set('map', JSON.stringify({ file: ['variables.v'] }));
    form.set('file', new File(['x'], 'x.png'));
    const { body } = await anna.post<Result>('/graphql', form, { headers: { ...headers, 'x-graphql-yoga-csrf': '1' } });
    expect(codeOf(body)).toBe('VALIDATION_FAILED');
  });

  test.each(['query', 'variables', 'operationName', 'extensions'])('%s of a request', async (member) => {
    for (const value of [true, 1, [], [{}], { a: 1 }]) {
      const body = { query: '{ __typename }', [member]: value };
      const { status } = await anna.post('/graphql', body, { headers });
      const isMap = !Array.isArray(value) && typeof value === 'object';
      const isAccepted = isMap && (member === 'variables' || member === 'extensions');
      expect([value, status]).toEqual([value, isAccepted ? 200 : 400]);
    }
  });

  test.each(['persistedQuery', 'idempotencyKey'])('%s of the extensions of a request', async (name) => {
    for (const value of [true, 1, [], [{}], { version: {} }]) {
      const body = { query: 'mutation { updateProfile(name: "x") { id } }', extensions: { [name]: value } };
      const { body: result } = await anna.post<Result>('/graphql', body, { headers });
      expect([value, codeOf(result)]).toEqual([value, 'VALIDATION_FAILED']);
    }
  });
});
