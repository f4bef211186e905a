import { describe, expect, test } from '@jest/globals';
import { PageSize } from '../../src/notifications/page-size.ts';

describe('the size of a page', () => {
  const fail = () => Promise.reject(new Error('too much'));
  const sizeOf = (page: PageSize) => page.run((size) => Promise.resolve(size));

  test('falls to a quarter at each failure, down to one', async () => {
    const page = new PageSize(1000);
    const sizes: number[] = [];
    for (let index = 0; index < 7; index += 1) {
      await expect(
        page.run((size) => {
          sizes.push(size);
          return fail();
        }),
      ).rejects.toThrow('too much');
    }
    expect(sizes).toEqual([1000, 250, 63, 16, 4, 1, 1]);
    expect(page.isLeast).toBe(true);
  });

  test('grows again with each success, up to the maximum', async () => {
    const page = new PageSize(10);
    await expect(page.run(fail)).rejects.toThrow('too much');
    const sizes = [await sizeOf(page), await sizeOf(page), await sizeOf(page), await sizeOf(page)];
    expect(sizes).toEqual([3, 6, 10, 10]);
  });
});
