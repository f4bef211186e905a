import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux gives higher ports to outgoing connections: one of those could take the port before the server does. */
const range = { first: 20_000, last: 32_000 };

/** A free port of this machine, for a server that must know its port before it starts. */
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
