import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { refused, type Replica, sections, tags, tasks } from 'taskgate-client';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp } from '../kit/users.ts';
import { closeDevices, Device } from './device.ts';
import { untilShown } from './kit.ts';

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

test('an entity that two devices delete offline is gone, without a refusal', async () => {
  await openDevices();
  const id = phone.make({ title: 'milk' });
  const project = phone.replica.mutate('createProject', { name: 'Shopping' }).id ?? '';
  const section = phone.replica.mutate('createSection', { projectId: project, name: 'Today' }).id ?? '';
  await phone.send();
  await laptop.send(() => untilShown(laptop.replica, sections.byProject(project), ({ length }) => length === 1));
  for (const { replica } of [phone, laptop]) {
    replica.mutate('deleteTask', { id });
    replica.mutate('deleteSection', { id: section });
    replica.mutate('deleteProject', { id: project });
  }
  await phone.send();
  await laptop.send();
  await laptop.expectEqual();
  expect(laptop.task(id)).toBeUndefined();
});
