import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../rest/openapi.ts';
import { routes } from '../../rest/routes.ts';
import { schema } from '../../src/schema.ts';
import type { Answer } from './client.ts';

interface Response {
  $ref?: string;
  content?: Record<string, { schema: object }>;
}

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { responses: Record<string, Response> };
}

/** Forbids properties that the document does not describe. */
const strict = <Value>(value: Value): Value => {
  if (Array.isArray(value)) return value.map(strict) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, strict(each as unknown)]));
  const isObject = inner['type'] === 'object' && inner['properties'] !== undefined;
  return { ...inner, ...(isObject && { additionalProperties: false }) } as Value;
};

const document = strict(openApiDocument(schema, routes)) as OpenApi;
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi.json');

/** Templates without parameters come first. */
const templates = Object.keys(document.paths)
  .toSorted((one, other) => one.split('{').length - other.split('{').length)
  .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));

const validators = new Map<string, ValidateFunction>();

function validatorOf(pointer: string): ValidateFunction {
  const validator = validators.get(pointer) ?? ajv.compile({ $ref: `openapi.json#${pointer}` });
  validators.set(pointer, validator);
  return validator;
}

const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

/**
 * Checks the status, media type and JSON body of a response against the OpenAPI document. Ignores paths outside it.
 * @throws with a description of the mismatch
 */
export function checkAnswer(method: string, url: string, { status, headers, body }: Answer<unknown>): void {
  const [pathname = ''] = url.split('?');
  const path = templates.find(({ pattern }) => pattern.test(pathname))?.path;
  const operation = path === undefined ? undefined : document.paths[path]?.[method.toLowerCase()];
  if (path === undefined || !operation) return;
  const name = `${method} ${path}`;
  const response = operation.responses[String(status)];
  if (!response) throw new Error(`${name} answers ${status}, which the OpenAPI document does not have`);
  const parts = response.$ref?.slice(2).split('/') ?? [
    'paths',
    path,
    method.toLowerCase(),
    'responses',
    String(status),
  ];
  const { content } = response.$ref ? (document.components.responses[parts.at(-1) ?? ''] ?? {}) : response;
  if (!content) return;
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (!content[type]) throw new Error(`${name} answers ${status} as ${type}, which the OpenAPI document does not have`);
  if (type !== 'application/json') return;
  const validate = validatorOf(`/${[...parts, 'content', type, 'schema'].map(escaped).join('/')}`);
  if (!validate(body)) {
    const problems = ajv.errorsText(validate.errors, { dataVar: 'body' });
    throw new Error(`${name} answers ${status} with a body that differs from the OpenAPI document: ${problems}`);
  }
}
