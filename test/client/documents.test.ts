import { expect, test } from '@jest/globals';
import { buildSchema, parse, validate } from 'graphql';
import { readFile } from 'node:fs/promises';
import { syncQuery, syncSubscription } from '../../client/src/replica/batch.ts';
import { documents as mutations } from '../../client/src/replica/schema.ts';

const documents = {
  'the query of batches': syncQuery(true),
  'the subscription to batches': syncSubscription(true),
  'the query of batches by an access token': syncQuery(false),
  ...mutations,
};

test.each(Object.entries(documents))('the document of %s fits the schema', async (_name, document) => {
  const schema = buildSchema(await readFile('schema.graphql', 'utf8'));
  expect(validate(schema, parse(document))).toEqual([]);
});
