import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Fault {
  /**
   * - `ok`: passes all bytes on.
   * - `down`: refuses connections (ECONNREFUSED) and ends open ones.
   * - `reset`: accepts connections and resets them (ECONNRESET), open ones too.
   * - `blackhole`: accepts connections and bytes but passes nothing on. Affected connections stay silent for good.
   */
  mode: 'ok' | 'down' | 'reset' | 'blackhole';
  /** Delay in each direction, in milliseconds. */
  latencyMs: number;
  /** Bytes in both directions together before a connection is reset. */
  cutAfterBytes: number;
  /**
   * Resets a connection when the server responds to a matching request: the server has done the work, but the client never learns of it. Matches
   * single packets.
   */
  loseResponseTo: RegExp | undefined;
}

const noFault: Fault = { mode: 'ok', latencyMs: 0, cutAfterBytes: Infinity, loseResponseTo: undefined };

/** Below the ephemeral ports: the port must still be free when the proxy comes back. */
const [lowestPort, highestPort] = [20_000, 32_000];

interface Link {
  client: Socket;
  server: Socket;
  bytes: number;
  /** Bytes were lost, so later ones would make no sense. */
  hasLostBytes: boolean;
  losesResponse: boolean;
}

/** A TCP proxy that injects faults. */
export class FaultProxy {
  #fault = noFault;
  #target: { host: string; port: number };
  #listener: Server | undefined;
  readonly #url: string;
  readonly #port: number;
  readonly #links = new Set<Link>();
  readonly #ports = new Set<number>();
  #heard: (() => void)[] = [];

  private constructor(target: string, listener: Server, port: number) {
    this.#url = target;
    this.#target = addressOf(target);
    this.#listener = listener;
    this.#port = port;
    this.#serve(listener);
  }

  static async open(target: string): Promise<FaultProxy> {
    for (;;) {
      const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort));
      const listener = await listen(port).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        return undefined;
      });
      if (listener) return new FaultProxy(target, listener, port);
    }
  }

  /** URL of the server through the proxy. */
  get url(): string {
    const url = new URL(this.#url);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  get connections(): number {
    return this.#links.size;
  }

  /** SQL condition on `pg_stat_activity`: server processes of its connections. They may outlive these. */
  get isOfBackend(): string {
    return `client_port IN (${[...this.#ports].join()})`;
  }

  /** Replaces all faults. Settles once the new ones are in effect. */
  async set(fault: Partial<Fault>): Promise<void> {
    this.#fault = { ...noFault, ...fault };
    const { mode } = this.#fault;
    if (mode === 'blackhole') for (const link of this.#links) link.hasLostBytes = true;
    if (mode === 'reset') this.killAll();
    if (mode === 'down') {
      const listener = this.#listener;
      this.#listener = undefined;
      listener?.close();
      for (const { client, server } of this.#links) [client, server].forEach((socket) => socket.destroy());
    } else if (!this.#listener) {
      this.#listener = await listen(this.#port);
      this.#serve(this.#listener);
    }
  }

  /** As after a failover. */
  retarget(target: string): void {
    this.#target = addressOf(target);
  }

  killAll(): void {
    for (const { client, server } of this.#links) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** Settles when a client next connects or sends data. */
  nextActivity(): Promise<void> {
    return new Promise((resolve) => this.#heard.push(resolve));
  }

  async close(): Promise<void> {
    await this.set({ mode: 'down' });
  }

  #serve(listener: Server): void {
    listener.on('connection', (client: Socket) => {
      this.#tell();
      if (this.#fault.mode === 'reset') return void client.resetAndDestroy();
      const server = connect(this.#target);
      server.once('connect', () => this.#ports.add(server.localPort ?? 0));
      const isLost = this.#fault.mode === 'blackhole';
      const link = { client, server, bytes: 0, hasLostBytes: isLost, losesResponse: false };
      this.#links.add(link);
      this.#pipe(link, client, server);
      this.#pipe(link, server, client);
      client.once('close', () => this.#links.delete(link));
    });
  }

  #pipe(link: Link, from: Socket, to: Socket): void {
    from.on('data', (data: Buffer) => this.#pass(link, from, to, data));
    from.on('error', () => undefined);
    from.on('close', () => {
      if (!link.hasLostBytes || from === link.client) to.destroy();
    });
  }

  #pass(link: Link, from: Socket, to: Socket, data: Buffer): void {
    const { latencyMs, cutAfterBytes, loseResponseTo } = this.#fault;
    const isRequest = from === link.client;
    if (isRequest) this.#tell();
    if (link.hasLostBytes) return;
    link.bytes += data.length;
    if (link.bytes > cutAfterBytes || (!isRequest && link.losesResponse)) {
      link.client.resetAndDestroy();
      link.server.destroy();
      return;
    }
    if (isRequest && loseResponseTo?.test(data.toString('latin1'))) link.losesResponse = true;
    const send = () => {
      if (!link.hasLostBytes && !to.destroyed) to.write(data);
    };
    if (latencyMs > 0) setTimeout(send, latencyMs).unref();
    else send();
  }

  #tell(): void {
    for (const resolve of this.#heard.splice(0)) resolve();
  }
}

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

async function listen(port: number): Promise<Server> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
