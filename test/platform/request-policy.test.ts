import { describe, expect, test } from '@jest/globals';
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { readFileSync } from 'node:fs';
import { rightsOf } from '../../src/graphql/rights.ts';
import type { Viewer } from '../../src/platform/context.ts';
import { requireMember } from '../../src/platform/policy.ts';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const viewer = { spaceIds: ['own', 'team'] } as Viewer;

test.each([null, undefined, [], ['own'], ['team', 'own']])('spaces of the viewer pass: %j', (spaceIds) => {
  expect(() => requireMember(viewer, spaceIds, 'spaceIds')).not.toThrow();
});

test.each([
  [['foreign'], 0],
  [['own', 'foreign'], 1],
])('the first foreign space is named: %j', (spaceIds, index) => {
  expect(() => requireMember(viewer, spaceIds, 'spaceIds')).toThrow(
    `spaceIds.${index} must be your own id or the id of one of your workspaces`,
  );
});

describe('an operation needs the rights of all its fields, in any order', () => {
  const fields = {
    read: ['mutation', 'deleteWebhook(id: "")'],
    write: ['mutation', 'deleteTag(id: "")'],
    all: ['mutation', 'signOut'],
    tags: ['query', 'tags { id }'],
    application: ['query', 'applicationRequest(query: "") { name }'],
    email: ['query', 'viewer { email }'],
    passkeys: ['query', 'viewer { passkeys { id } }'],
  } as const;

  test.each([
    [['read'], 'read'],
    [['write'], 'write'],
    [['all'], 'all'],
    [['read', 'write'], 'write'],
    [['write', 'read'], 'write'],
    [['all', 'read'], 'all'],
    [['read', 'all'], 'all'],
    [['tags'], 'read'],
    [['application'], 'all'],
    [['application', 'tags'], 'all'],
    [['tags', 'application'], 'all'],
    [['email'], 'read'],
    [['passkeys', 'tags'], 'all'],
  ] as const)('%j: %s', (names, expected) => {
    const [[type] = []] = names.map((name) => fields[name]);
    const document = parse(`${type} { ${names.map((name, index) => `f${index}: ${fields[name][1]}`).join(' ')} }`);
    expect(rightsOf(schema, document, document.definitions[0] as OperationDefinitionNode)).toBe(expected);
  });
});
