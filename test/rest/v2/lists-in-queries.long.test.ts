import { beforeAll, describe, expect, test } from '@jest/globals';
import { openApiDocument } from '../../../rest/openapi.ts';
import { routes } from '../../../rest/routes.ts';
import { schema } from '../../../src/schema.ts';
import { makeTag, makeTask } from '../../kit/make.ts';
import type { Service } from '../../kit/service.ts';
import { sharedService } from '../../kit/shared-service.ts';
import { signUp, type User } from '../../kit/users.ts';

interface Operation {
  parameters: { name?: string; in?: string; schema?: { type?: string } }[];
}

const { paths } = openApiDocument(schema, routes) as { paths: Record<string, Record<string, Operation>> };

const lists = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { parameters }]) =>
    parameters
      .filter((parameter) => parameter.in === 'query' && parameter.schema?.type === 'array')
      .map(({ name = '' }) => ({ method: method.toUpperCase(), path, name })),
  ),
);

const spellings: Record<string, (name: string, ids: string[]) => string> = {
  'with commas': (name, ids) => `${name}=${ids.join(',')}`,
  'with escaped commas': (name, ids) => `${name}=${ids.join('%2C')}`,
  'by its name again': (name, ids) => ids.map((id) => `${name}=${id}`).join('&'),
  'with brackets': (name, ids) => ids.map((id) => `${name}[]=${id}`).join('&'),
  'with escaped brackets': (name, ids) => ids.map((id) => `${name}%5B%5D=${id}`).join('&'),
  'with positions': (name, ids) => ids.map((id, index) => `${name}[${index}]=${id}`).join('&'),
  'in a mixture': (name, ids) => `${name}=${ids.slice(0, 2).join(',')}&${name}=${ids.slice(2).join(',')}`,
};

const bodies: Record<string, object> = { PATCH: { priority: 'low' } };

describe('a list in a query string', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });

  /** Valid ids for the list. Each tag has a task. */
  async function makeIds(name: string): Promise<string[]> {
    const ids = [];
    for (let count = 0; count < 3; count += 1) {
      const tag = await makeTag(anna);
      const task = await makeTask(anna, { tags: [tag.id] });
      ids.push(name === 'todoIds' ? task.id : tag.id);
    }
    return ids;
  }

  test('exists', () => {
    expect(lists).toContainEqual({ method: 'PATCH', path: '/api/v2/todo/bulk', name: 'todoIds' });
    expect(lists.length).toBeGreaterThanOrEqual(5);
  });

  test.each(lists)('$method $path accepts $name in every spelling', async ({ method, path, name }) => {
    for (const [what, spell] of Object.entries(spellings)) {
      const ids = await makeIds(name);
      const { status, body } = await anna.send(method, `${path}?${spell(name, ids)}`, bodies[method]);
      expect({ what, status }).toEqual({ what, status: 200 });
      const [all] = Object.values(body as object) as unknown[];
      expect({ what, count: Array.isArray(all) ? all.length : all }).toEqual({ what, count: 3 });
    }
  });
});
