import { readFile, writeFile } from 'node:fs/promises';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { introspectionFromSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { schema } from '../src/schema.ts';

// Prints what is generated from the Pothos schema and committed: the schema for its readers, and its
// types for the documents of rest/. With --check it compares them with what is there instead.
const sorted = lexicographicSortSchema(schema);
const generated: Record<string, string> = {
  'schema.graphql': `${printSchema(sorted)}\n`,
  'rest/schema-types.d.ts': outputIntrospectionFile(minifyIntrospection(introspectionFromSchema(sorted)), {
    fileType: '.d.ts',
    shouldPreprocess: true,
  }),
};

for (const [file, content] of Object.entries(generated)) {
  if (!process.argv.includes('--check')) {
    await writeFile(file, content);
  } else if ((await readFile(file, 'utf8')) !== content) {
    console.error(`${file} does not show the present schema: run "npm run schema" and commit what it writes`);
    process.exitCode = 1;
  }
}
