import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What a {@link FaultProxy} does to the connections that lead through it. */
export interface Fault {
  /**
   * - `ok`: passes everything on;
   * - `down`: nobody listens: connections are refused (ECONNREFUSED), and open ones ended;
   * - `reset`: connections are taken and reset (ECONNRESET) at once, open ones too;
   * - `blackhole`: connections and bytes are taken, and nothing is passed on, in either direction; clients are not
   *   notified that the server has gone. A connection that was open meanwhile never says a word again, as where a
   *   firewall has forgotten it.
   */
  mode: 'ok' | 'down' | 'reset' | 'blackhole';
  /** Milliseconds by which all that is passed on is late. */
  latencyMs: number;
  /** Bytes, of both directions together, after which a connection is reset; what goes beyond is not passed on. */
  cutAfterBytes: number;
  /**
   * What the client has to send for its connection to be reset as soon as the server answers: the server has done it, and the client never
   * learns. It is looked for in single packets, as text.
   */
  loseAnswerTo: RegExp | undefined;
}

const none: Fault = { mode: 'ok', latencyMs: 0, cutAfterBytes: Infinity, loseAnswerTo: undefined };

/** Below the ports that the system gives to outgoing connections: it has to be free again when the proxy is back. */
const [lowestPort, highestPort] = [20_000, 32_000];

/** A connection of a client, and the one to the server behind it. */
interface Link {
  client: Socket;
  server: Socket;
  bytes: number;
  /** It has lost bytes: whatever came after them would make no sense. */
  lost: boolean;
  /** The next answer is the one that gets lost. */
  losesAnswer: boolean;
}

/** A TCP proxy in front of a server, such as PostgreSQL or Redis, that fails as configured. */
export class FaultProxy {
  #fault = none;
  #target: { host: string; port: number };
  #listener: Server | undefined;
  readonly #url: string;
  readonly #port: number;
  readonly #links = new Set<Link>();
  #heard: (() => void)[] = [];

  private constructor(target: string, listener: Server, port: number) {
    this.#url = target;
    this.#target = addressOf(target);
    this.#listener = listener;
    this.#port = port;
    this.#serve(listener);
  }

  /** @param target URL of the server, with its port */
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

  /** The server's URL, through the proxy. */
  get url(): string {
    const url = new URL(this.#url);
    url.hostname = '127.0.0.1';
    url.port = String(this.#port);
    return url.href;
  }

  /** How many connections of clients are open. */
  get connections(): number {
    return this.#links.size;
  }

  /** From now on it does this; what is not named is as without a fault. Settles when it does. */
  async set(fault: Partial<Fault>): Promise<void> {
    this.#fault = { ...none, ...fault };
    const { mode } = this.#fault;
    if (mode === 'blackhole') for (const link of this.#links) link.lost = true;
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

  /** New connections lead to this server from now on, as after a failover. */
  retarget(target: string): void {
    this.#target = addressOf(target);
  }

  /** Resets all open connections; new ones are taken. */
  killAll(): void {
    for (const { client, server } of this.#links) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** Settles when a client connects, or sends something, the next time. */
  heard(): Promise<void> {
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
      const isLost = this.#fault.mode === 'blackhole';
      const link = { client, server, bytes: 0, lost: isLost, losesAnswer: false };
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
      if (!link.lost || from === link.client) to.destroy();
    });
  }

  #pass(link: Link, from: Socket, to: Socket, data: Buffer): void {
    const { latencyMs, cutAfterBytes, loseAnswerTo } = this.#fault;
    const isRequest = from === link.client;
    if (isRequest) this.#tell();
    if (link.lost) return;
    link.bytes += data.length;
    if (link.bytes > cutAfterBytes || (!isRequest && link.losesAnswer)) {
      link.client.resetAndDestroy();
      link.server.destroy();
      return;
    }
    if (isRequest && loseAnswerTo?.test(data.toString('latin1'))) link.losesAnswer = true;
    const send = () => {
      if (!link.lost && !to.destroyed) to.write(data);
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
