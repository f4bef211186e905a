import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, endServices, spawnService } from '../kit/process.ts';
import { accessService } from '../kit/service.ts';
import { signUpByMail } from '../kit/users.ts';
import { imageOf, plainPicture, upload } from './pictures.ts';

describe('processes', () => {
  const folders = dataFolders();
  afterEach(() => endServices('SIGTERM'));
  afterAll(() => folders.remove());

  test("serve each other's pictures, although they share only the database", async () => {
    const DATABASE_URL = await createTestDatabase();
    const [first, second] = [await folders.make(), await folders.make()];
    const one = await spawnService({ DATA_DIR: first, DATABASE_URL });
    const anna = await signUpByMail(accessService(one.url ?? '', first));
    expect(await upload(anna, await plainPicture())).toMatchObject({ status: 200 });
    const { pathname } = new URL(await imageOf(anna));
    const other = await spawnService({ DATA_DIR: second, DATABASE_URL });
    const answers = await Promise.all([one, other].map(({ url }) => fetch(`${url}${pathname}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
});
