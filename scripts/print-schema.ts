import { readFile, writeFile } from 'node:fs/promises';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { introspectionFromSchema, lexicographicSortSchema, printSchema } from 'graphql';
import openapiTypes, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import { openApiDocument } from '../rest/openapi.ts';
import { routes } from '../rest/routes.ts';
import { schema } from '../src/schema.ts';
import { clientSchemaOf, clientTypesOf } from './client-schema.ts';
import { environmentExample, withTables } from './docs-tables.ts';

// Writes the generated files. With --check, compares them with the existing files instead.
const sorted = lexicographicSortSchema(schema);
const openApi = await format(JSON.stringify(openApiDocument(schema, routes)), { parser: 'json', printWidth: 120 });
const { types, mutationTypes } = clientTypesOf(sorted);
const generated: Record<string, string> = {
  'schema.graphql': `${printSchema(sorted)}\n`,
  'rest/schema-types.d.ts': outputIntrospectionFile(minifyIntrospection(introspectionFromSchema(sorted)), {
    fileType: '.d.ts',
    shouldPreprocess: true,
  }),
  'openapi.json': openApi,
  'client/src/openapi.ts': astToString(await openapiTypes(openApi)),
  'client/src/operations.ts': operationsOf(JSON.parse(openApi) as OpenApi),
  'client/src/replica/schema.ts': await formatted(clientSchemaOf(sorted)),
  'client/src/replica/types.ts': await formatted(types),
  'client/src/replica/mutation-types.ts': await formatted(mutationTypes),
  ...(await copiesOf(['rule.ts', 'series.ts', 'summary.ts'])),
  '.env.example': environmentExample(),
  'docs/operations.md': await format(withTables(await readFile('docs/operations.md', 'utf8')), {
    parser: 'markdown',
    ...(await resolveConfig('docs/operations.md')),
  }),
};

for (const [file, content] of Object.entries(generated)) {
  if (!process.argv.includes('--check')) {
    await writeFile(file, content);
  } else if ((await readFile(file, 'utf8')) !== content) {
    console.error(`${file} is out of date: run "npm run schema" and commit the files`);
    process.exitCode = 1;
  }
}

/** The files of recurrence that the client shares. */
async function copiesOf(names: string[]): Promise<Record<string, string>> {
  const copies: Record<string, string> = {};
  for (const name of names) {
    const file = `packages/recurrence/${name}`;
    copies[`client/src/recurrence/${name}`] =
      `// Copied by \`npm run schema\`, from ${file}.\n\n${await readFile(file, 'utf8')}`;
  }
  return copies;
}

async function formatted(source: string): Promise<string> {
  return format(source, { parser: 'typescript', ...(await resolveConfig('client/src/replica/schema.ts')) });
}

interface OpenApi {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, { content?: object }> }>>;
}

/** Method and path by operation name, for calls of the client. Endless streams are left out. */
function operationsOf({ paths }: OpenApi): string {
  const lines = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { responses }]) => 'application/json' in ((responses['200'] ?? responses['201'])?.content ?? {}))
      .map(([method, { operationId }]) => `  ${operationId}: '${method} ${path}',\n`),
  );
  return `/** Method and path of each operation of the OpenAPI document. */\nexport const restOperations = {\n${lines.join('')}} as const;\n`;
}
