import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { createServer } from 'node:net';

/**
 * Holds a folder for this process: no other one on the machine can, until it is released or the process has ended,
 * however it ended. The hold is a name that is listened on and that no file stands for: an abstract Unix socket or a
 * named pipe. Other systems than Linux and Windows have none; there everybody holds.
 * @param folder that exists
 * @returns what releases it; undefined where another process holds it
 */
export async function holdFolder(folder: string): Promise<(() => void) | undefined> {
  const name = `taskgate-${createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')}`;
  const address = { linux: `\0${name}`, win32: `\\\\.\\pipe\\${name}` }[process.platform as string];
  if (address === undefined) return () => undefined;
  const server = createServer((socket) => socket.destroy());
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => resolve(() => void server.close()));
  });
}
