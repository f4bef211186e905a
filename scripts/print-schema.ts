import { writeFile } from 'node:fs/promises';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { introspectionFromSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../src/schema.ts';

// Prints what is generated from the Pothos schema and committed: the schema for its readers, and its
// types for the documents of rest/. `npm run check` compares both with what is committed.
const sorted = lexicographicSortSchema(schema);
await writeFile('schema.graphql', `${printSchema(sorted)}\n`);
await writeFile(
  'rest/schema-types.d.ts',
  outputIntrospectionFile(minifyIntrospection(introspectionFromSchema(sorted)), {
    fileType: '.d.ts',
    shouldPreprocess: true,
  }),
);
