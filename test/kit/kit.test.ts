import { beforeAll, describe, expect, test } from '@jest/globals';
import { recordStatements } from './statements.ts';
import type { Service } from './service.ts';
import { sharedService } from './shared-service.ts';
import { signInAgain, signUp } from './users.ts';

describe('the kit', () => {
  let service: Service;

  beforeAll(async () => {
    service = await sharedService();
  });

  test('makes users with their own sessions', async () => {
    const [anna, ben] = await Promise.all([signUp(service), signUp(service)]);
    expect(await anna.data('{ viewer { id email } }')).toEqual({ viewer: { id: anna.id, email: anna.email } });
    expect((await ben.get('/api/v1/auth-check')).body).toEqual({ isAuthenticated: true, email: ben.email });
    expect((await service.anonymous.get('/api/v1/auth-check')).body).toEqual({ isAuthenticated: false });
    const secondSession = await signInAgain(service, anna);
    expect(secondSession.cookie).not.toBe(anna.cookie);
    expect(await service.sql('SELECT email FROM users WHERE id = $1', [anna.id])).toEqual([{ email: anna.email }]);
  });

  test("records the request's statements, each with its purpose", async () => {
    const anna = await signUp(service);
    const { result, statements, own } = await recordStatements(() => anna.get('/api/v1/user/user-preferences'));
    expect(result.status).toBe(200);
    const requestPurposes = () =>
      statements.map(({ purpose }) => purpose).filter((purpose) => purpose !== 'background');
    expect(requestPurposes()).toEqual(['session', 'operation']);
    expect(own).toEqual([
      expect.objectContaining({ sql: expect.stringContaining('"users"'), values: expect.arrayContaining([anna.id]) }),
    ]);
    await anna.get('/api/v1/user/profile');
    expect(requestPurposes()).toHaveLength(2);
  });
});
