import { expect, test } from '@jest/globals';
import { isGraphqlUrl } from '../../src/http/request-route.ts';

test.each([
  ['/graphql', true],
  ['/graphql?query={viewer{id}}', true],
  ['/graphql/', true],
  ['/graphql/nothing', true],
  ['/graphqlx', false],
  ['/GraphQL', false],
  ['/api/v1/graphql', false],
  ['/', false],
])('the URL %s leads to GraphQL: %s', (url, expected) => {
  expect(isGraphqlUrl(url)).toBe(expected);
});
