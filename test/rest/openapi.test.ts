import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from '@jest/globals';
import { canBeNewId, kindOfId, idsIn } from '../../src/platform/ids.ts';
import { fileOf } from '../docs/page.ts';

interface Described {
  $ref?: string;
  name?: string;
  summary?: string;
  description?: string;
}

interface OpenApi {
  info: { contact?: object };
  paths: Record<string, Record<string, Described & { parameters: Described[] }>>;
  components: { parameters: Record<string, Described> };
}

const document = JSON.parse(await fileOf('openapi.json')) as OpenApi;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
);

const sentence = /^[A-Z`].+[.]$/s;

test.each(operations)('%s has a summary, and descriptions of itself and its parameters', (_name, operation) => {
  expect(operation.summary).toMatch(/^[A-Z].+[^.]$/);
  expect(operation.description).toMatch(sentence);
  const name = ({ $ref = '' }: Described) => $ref.replace('#/components/parameters/', '');
  const parameters = operation.parameters.map((each) => document.components.parameters[name(each)] ?? each);
  for (const { name: parameter, description } of parameters) {
    expect([parameter, description]).toEqual([parameter, expect.stringMatching(sentence)]);
  }
});

function* objectsOf(value: unknown, pointer = ''): Generator<[pointer: string, object: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Record<string, unknown>];
  for (const [key, each] of Object.entries(value)) {
    yield* objectsOf(each, `${pointer}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`);
  }
}
const objects = [...objectsOf(document)];

test('it names a contact', () => {
  expect(document.info.contact).toEqual({ name: 'Taskgate contributors' });
});

test('its bounds are the bounds of the service, not of JavaScript', () => {
  const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
  const extremeBounds = objects.filter(([, object]) =>
    bounds.some((name) => Math.abs(Number(object[name] ?? 0)) > 2 ** 31),
  );
  expect(extremeBounds).toEqual([]);
});

test('its examples are valid', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi.json');
  const checked = objects.flatMap(([pointer, object]) => {
    const { schema: inner, examples, example } = object;
    // A schema has a list of examples. Others have one, or several by name.
    const values = Array.isArray(examples)
      ? (examples as unknown[])
      : [example, ...Object.values((examples ?? {}) as Record<string, { value: unknown }>).map(({ value }) => value)];
    return values
      .filter((value) => value !== undefined)
      .map((value) => {
        const $ref = `openapi.json#${pointer}${inner ? '/schema' : ''}`;
        return { pointer, value, isValid: ajv.validate({ $ref }, value) };
      });
  });
  expect(checked.length).toBeGreaterThan(20);
  expect(checked.filter(({ isValid }) => !isValid)).toEqual([]);
});

test('the ids of its examples have the format of the service', () => {
  const ids = idsIn(JSON.stringify(document));
  expect(ids.length).toBeGreaterThan(5);
  expect(ids.filter((id) => !canBeNewId(kindOfId(id) ?? 'Task', id))).toEqual([]);
});
