import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral ports of Linux, which outgoing connections could take first. */
const range = { first: 20_000, last: 32_000 };

/** Returns a free port, for a server that must know its port before it starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = range.first + Math.floor(Math.random() * (range.last - range.first));
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
