import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { type AddressInfo, connect } from 'node:net';
import { StartError } from '@taskgate/base';
import type { Config } from '../config/config.ts';

export interface Endpoint {
  port: number;
  host: string;
  portVariable: string;
  hostVariable: string;
}

export const requestEndpoint = ({ port, host }: Config): Endpoint => ({
  ...{ port, host },
  ...{ portVariable: 'PORT', hostVariable: 'HOST' },
});

export const metricsEndpoint = ({ host, metricsHost }: Config, port: number): Endpoint => ({
  ...{ port, host: metricsHost },
  ...{ portVariable: 'METRICS_PORT', hostVariable: metricsHost === host ? 'HOST' : 'METRICS_HOST' },
});

const trialMs = 1000;

/**
 * Connections that may wait: Node accepts so many in about three seconds, when clients retry. The system has its own
 * bound, on Linux `net.core.somaxconn`.
 */
const backlog = 4_096;

/** @throws {StartError} naming the variable at fault */
export async function listen(server: Server, endpoint: Endpoint): Promise<void> {
  const { port, host } = endpoint;
  await once(server.listen({ port, host, backlog }), 'listening').catch(refuse(endpoint));
}

/**
 * Only binds a client socket: even a short listen would accept requests. The connection itself may fail. @throws
 * {StartError} naming the variable at fault
 */
export async function requireFree(endpoint: Endpoint): Promise<void> {
  const { port, host } = endpoint;
  const { address } = await lookup(host).catch(refuse(endpoint));
  const socket = connect({ host: address, port: 0, localAddress: address, localPort: port });
  await once(socket, 'connect', { signal: AbortSignal.timeout(trialMs) })
    .catch((error: NodeJS.ErrnoException) => {
      if (error.syscall === 'bind') refuse(endpoint)(error);
    })
    .finally(() => socket.destroy());
}

const faultsOfPort: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken',
  EACCES: 'is not allowed',
  EPERM: 'is not allowed',
};

const refuse =
  ({ port, host, portVariable, hostVariable }: Endpoint) =>
  ({ code, message }: NodeJS.ErrnoException): never => {
    const fault = faultsOfPort[code ?? ''];
    throw new StartError(
      fault === undefined
        ? `${hostVariable} must be an address of this machine, and ${host} is not (${code ?? message})`
        : `port ${port} ${fault} at ${host}: set ${portVariable} to another one (${code})`,
    );
  };

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
