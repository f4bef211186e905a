import { expect } from '@jest/globals';
import {
  createReplica,
  memoryStorage,
  type Mutations,
  pending,
  refused,
  type Replica,
  type Task,
  tasks,
} from 'taskgate-client';
import type { Service } from '../kit/service.ts';
import type { User } from '../kit/users.ts';
import { contentOf, foreseeable } from './content.ts';
import { clientAs, contentOfService, untilLive, untilShown } from './kit.ts';
import { Network } from './network.ts';

const devices: Device[] = [];

export async function closeDevices(): Promise<void> {
  await Promise.all(devices.splice(0).map(({ replica }) => replica.close()));
}

/** A replica that is offline, except while it sends. */
export class Device {
  readonly replica: Replica;
  readonly #network: Network;
  readonly #content: () => ReturnType<typeof contentOfService>;

  private constructor(replica: Replica, network: Network, content: () => ReturnType<typeof contentOfService>) {
    this.replica = replica;
    this.#network = network;
    this.#content = content;
  }

  static async open(service: Service, user: User): Promise<Device> {
    const network = new Network(user);
    const client = clientAs(service, user, { fetch: network.fetch, webSocket: null });
    const replica = await createReplica({ client, storage: memoryStorage() });
    const device = new Device(replica, network, () => contentOfService(clientAs(service, user)));
    devices.push(device);
    await untilLive(replica);
    network.isCut = true;
    return device;
  }

  make(input: Mutations['createTask']['input']): string {
    return this.replica.mutate('createTask', { input }).id ?? '';
  }

  set(id: string, input: Mutations['updateTask']['input']): void {
    this.replica.mutate('updateTask', { id, input });
  }

  setAll(ids: string[], input: Mutations['updateTasks']['input']): void {
    this.replica.mutate('updateTasks', { ids, input });
  }

  task(id: string): Task | undefined {
    return this.replica.read(tasks.byId(id));
  }

  /** The tasks of a task's series by their dates. */
  series(id: string): Task[] {
    const seriesId = this.task(id)?.recurrence?.seriesId;
    const found = this.replica.read(tasks.all()).filter(({ recurrence }) => recurrence?.seriesId === seriesId);
    return found.sort((a, b) => ((a.recurrence?.date ?? '') < (b.recurrence?.date ?? '') ? -1 : 1));
  }

  /** The open task of a task's series. */
  open(id: string): Task {
    const [found, ...others] = this.series(id).filter(({ completed }) => !completed);
    if (!found || others.length > 0) throw new Error(`the series has ${others.length + (found ? 1 : 0)} open tasks`);
    return found;
  }

  /** Is online until all mutations are confirmed. @param until waits for more */
  async send(until: () => Promise<unknown> = () => Promise.resolve()): Promise<void> {
    this.#network.isCut = false;
    this.replica.reconnect();
    await untilShown(this.replica, pending, ({ length }) => length === 0);
    await until();
    this.#network.isCut = true;
  }

  async expectEqual(): Promise<void> {
    expect(this.replica.read(refused)).toEqual([]);
    expect(contentOf(this.replica)).toEqual(await this.#content());
  }

  /** Sends all mutations. The service then has the content that the replica showed offline. */
  async expectForeseen(): Promise<void> {
    const shown = foreseeable(contentOf(this.replica));
    await this.send();
    await this.expectEqual();
    expect(foreseeable(contentOf(this.replica))).toEqual(shown);
  }
}

/** Waits for the next millisecond: no two actions of a user have the same time. */
export function untilLater(): void {
  const now = Date.now();
  while (Date.now() === now);
}
