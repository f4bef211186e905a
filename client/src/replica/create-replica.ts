import { TaskgateError } from '../errors.ts';
import { OpenReplica } from './open-replica.ts';
import type { Replica, ReplicaOptions } from './replica.ts';

/**
 * Opens a replica: shows stored data, and follows the service or the leading tab.
 * @throws STORAGE_FAILED if the storage cannot be opened or shared with other tabs, and has no fallback
 */
export async function createReplica(options: ReplicaOptions): Promise<Replica> {
  try {
    return await openReplica(options);
  } catch (error) {
    const { fallback } = options.storage;
    if (!fallback || !(error instanceof TaskgateError)) throw error;
    return openReplica({ ...options, storage: fallback }, error);
  }
}

async function openReplica(options: ReplicaOptions, problem?: TaskgateError): Promise<Replica> {
  const replica = new OpenReplica(options, problem);
  try {
    await replica.start();
    return replica;
  } catch (error) {
    await replica.close();
    throw error;
  }
}
