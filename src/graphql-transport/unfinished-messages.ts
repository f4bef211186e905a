import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { SocketClient } from '@taskgate/execution';
import type { ByteLease, RequestBodies } from '@taskgate/http';

/** Of a client (RFC 6455, 5.2). A subscriber may answer pings for days without a message. */
const controlHeaderBytes = 6;

/** Counts unfinished messages as bodies: a peer may leave one on each of many sockets. */
export const boundUnfinished =
  (bodies: RequestBodies) =>
  (client: SocketClient, socket: WebSocket, connection: Duplex): void => {
    let lease: ByteLease | undefined;
    let unfinished = 0;
    const release = () => {
      lease?.release();
      lease = undefined;
      unfinished = 0;
    };
    const endControl = (payload: Buffer) => {
      unfinished -= controlHeaderBytes + payload.length;
      if (unfinished <= 0) release();
    };
    // The last chunk of a message may have the beginning of the next, which is not counted.
    socket.on('message', release).on('ping', endControl).on('pong', endControl).once('close', release);
    // First, so the message of a chunk ends after it is counted.
    connection.prependListener('data', (chunk: Buffer) => {
      lease ??= bodies.lease({ account: client.bearer?.userId, clientAddress: client.clientAddress });
      try {
        lease.take(chunk.length);
        unfinished += chunk.length;
      } catch {
        client.flow.close(1013, 'Too many messages in progress');
        socket.pause();
      }
    });
  };
