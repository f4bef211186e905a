import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { refused, type Replica, tags, tasks } from 'taskgate-client';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';
import { closeDevices, Device } from './device.ts';

let service: Service;
let phone: Device;
let laptop: Device;
beforeAll(async () => {
  service = await sharedService();
});
afterEach(closeDevices);

/** Both devices are offline. */
async function openDevices(): Promise<void> {
  const user = await signUp(service);
  [phone, laptop] = [await Device.open(service, user), await Device.open(service, user)];
}

const tagOf = ({ replica }: Device, name: string) => replica.mutate('createTag', { name }).id ?? '';
const namesOf = (replica: Replica) => replica.read(tags.all()).map(({ name }) => name);

test('a tag that two devices create offline under one name is one tag, which both use', async () => {
  await openDevices();
  const first = phone.make({ title: 'milk', tagIds: [tagOf(phone, 'shop')] });
  const own = tagOf(laptop, ' shop ');
  const second = laptop.make({ title: 'bread', tagIds: [own, tagOf(laptop, 'food')] });
  laptop.setAll([second], { tagIds: [own] });
  laptop.replica.mutate('updateTag', { id: own, color: 'RED' });
  await phone.send();
  await laptop.send();
  await laptop.expectEqual();
  expect(namesOf(laptop.replica)).toEqual(['food', 'shop']);
  const [shop] = laptop.replica.read(tags.all()).filter(({ name }) => name === 'shop');
  expect(shop?.color).toBe('RED');
  for (const id of [first, second]) expect(laptop.task(id)?.tagIds).toEqual([shop?.id]);
});

test('a deletion or an undo of a new tag does not touch the tag of another device', async () => {
  await openDevices();
  phone.make({ title: 'milk', tagIds: [tagOf(phone, 'shop'), tagOf(phone, 'food')] });
  laptop.replica.mutate('deleteTags', { ids: [tagOf(laptop, 'shop')] });
  tagOf(laptop, 'food');
  laptop.replica.undo();
  await phone.send();
  await laptop.send();
  await laptop.expectEqual();
  expect(namesOf(laptop.replica)).toEqual(['food', 'shop']);
  expect(laptop.replica.read(tasks.all())[0]?.tagIds).toHaveLength(2);
  expect(laptop.replica.read(refused)).toEqual([]);
});
