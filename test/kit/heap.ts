import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes of the heap that are in use after a garbage collection. */
export function usedBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
