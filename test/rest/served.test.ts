import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Router } from 'express';
import { fileOf } from '../docs/page.ts';
import { type Service, startService } from '../kit/service.ts';

interface ServedRoute {
  path: string | RegExp | (string | RegExp)[];
  methods: Record<string, boolean>;
}

const servedRoutes: ServedRoute[] = [];
let service: Service;
beforeAll(async () => {
  const prototype = Router.prototype as { route(path: ServedRoute['path']): ServedRoute };
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on the router, as the original is
  const { route } = prototype;
  const watch = jest.spyOn(prototype, 'route').mockImplementation(function (this: unknown, path) {
    const createdRoute = route.call(this, path);
    servedRoutes.push(createdRoute);
    return createdRoute;
  });
  service = await startService();
  watch.mockRestore();
});
afterAll(() => service.close());

test('every route under /api is in openapi.json, and every operation there is a route', async () => {
  const { paths } = JSON.parse(await fileOf('openapi.json')) as { paths: Record<string, Record<string, object>> };
  const documentedRoutes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  const all = servedRoutes.flatMap(({ path, methods }) => [path].flat().map((each) => ({ path: each, methods })));
  // The document cannot describe patterns.
  const patterns = all.map(({ path }) => path).filter((path) => path instanceof RegExp);
  expect(patterns.filter((pattern) => ['/api', '/api/v1', '/api/v2/x/y'].some((path) => pattern.test(path)))).toEqual(
    [],
  );
  const routes = all.flatMap(({ path, methods }) =>
    Object.keys(methods).map((method) => `${method} ${String(path).replaceAll(/:(\w+)/g, '{$1}')}`),
  );
  const apiRoutes = new Set(routes.filter((route) => /^\w+ \/api(\/|$)/.test(route)));
  // The document does not describe itself.
  expect(apiRoutes.delete('get /api/openapi.json')).toBe(true);
  expect([...apiRoutes].sort()).toEqual(documentedRoutes.sort());
});
