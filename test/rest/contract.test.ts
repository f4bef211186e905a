import { describe, expect, test } from '@jest/globals';
import { routes } from '../../rest/routes.ts';
import { additions, documented, open } from './contract.ts';

const nameOf = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`;

const rowOf = (method: string, path: string) =>
  routes.find((row) => {
    const pattern = new RegExp(`^${row.path.replaceAll(/:\w+/g, '[^/]+')}$`);
    return row.method === method.toLowerCase() && pattern.test(path);
  });

describe('the table of endpoints', () => {
  test('has one row for each endpoint of the contract, and otherwise only additions', () => {
    const expected = [...documented, ...additions].map(([method, path]) => `${method} ${path}`);
    expect(routes.map(nameOf).sort()).toEqual(expected.sort());
  });

  test('marks additions', () => {
    const additionNames = additions.map(([method, path]) => `${method} ${path}`);
    expect(routes.flatMap((row) => (row.isAddition ? [nameOf(row)] : [])).sort()).toEqual(additionNames.sort());
  });

  test.each(documented)('%s %s is served by its own row', (method, path) => {
    const request = path.replace(':id', 'id-1').replace(':sectionId', 'id-2');
    const row = rowOf(method, request);
    expect(row && nameOf(row)).toBe(`${method} ${path}`);
  });

  test.each(documented)('%s %s requires a session if the contract does', (method, path) => {
    const name = `${method} ${path}`;
    const row = routes.find((each) => nameOf(each) === name);
    expect(row?.auth).toBe(open.has(name) ? 'none' : 'session');
  });
});
