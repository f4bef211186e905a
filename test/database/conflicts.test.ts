import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeProject } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
});
afterAll(() => service.close());

test('a write that always conflicts is given up after five attempts, with one statement or several', async () => {
  const project = await makeProject(anna);
  await service.sql(`
    CREATE SEQUENCE tries;
    CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM nextval('tries');
      RAISE serialization_failure;
    END $$;
    CREATE TRIGGER conflict BEFORE INSERT ON sections FOR EACH ROW EXECUTE FUNCTION conflict();
    CREATE TRIGGER conflict BEFORE INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION conflict();`);
  try {
    const section = await anna.post(`/api/v2/projects/${project.id}/sections`, { name: 'Later' });
    expect(section).toMatchObject({ status: 503 });
    expect(await service.sql('SELECT last_value::int FROM tries')).toEqual([{ last_value: 5 }]);
    expect(await anna.post('/api/v2/todo', { title: 'Later' })).toMatchObject({ status: 503 });
    expect(await service.sql('SELECT last_value::int FROM tries')).toEqual([{ last_value: 10 }]);
  } finally {
    await service.sql('DROP FUNCTION conflict CASCADE; DROP SEQUENCE tries');
  }
});
