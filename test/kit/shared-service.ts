import { type Service, startService } from './service.ts';
import { onWorkerEnd } from './worker-end.ts';

let shared: Promise<Service> | undefined;

/**
 * The service of a worker, with default settings and a database of its own. It outlives the test file, so a test uses
 * its own accounts, counts no rows of others, and does not break or close the service.
 */
export function sharedService(): Promise<Service> {
  shared ??= startService().then((service) => {
    onWorkerEnd(() => service.close());
    return service;
  });
  return shared;
}
