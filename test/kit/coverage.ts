import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type ServiceProcess, spawnService } from './process.ts';
import { withTimeout } from './until.ts';

interface ScriptCoverage {
  url: string;
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[];
}

interface InspectorMessage {
  id?: number;
  result: unknown;
  error?: { message: string };
}

export interface EnteredFunction {
  /** Such as `src/tasks/rules.js`, or `packages/work/turns.js`. */
  file: string;
  name: string;
  offset: number;
}

const debuggerUrl = /^Debugger listening on (ws:\S+)$/m;
const command = [process.execPath, '--import', './test/kit/hold-time.js', '--inspect=127.0.0.1:0'];

/** After as many reports without a function, the process is idle. */
const emptyReports = 3;
/** Turns of the event loop before a report. */
const turns = 5;

/** The functions of the build that a service enters, by V8's precise coverage. Its polls and other timers stand still. */
export class Coverage {
  readonly service: ServiceProcess & { url: string };
  readonly #socket: WebSocket;
  readonly #responses = new Map<number, (message: InspectorMessage) => void>();
  #lastId = 0;

  private constructor(service: ServiceProcess & { url: string }, socket: WebSocket) {
    this.service = service;
    this.#socket = socket;
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString('utf8')) as InspectorMessage;
      if (message.id !== undefined) this.#responses.get(message.id)?.(message);
    });
  }

  /** Starts the built service in a separate process. @throws with its standard error, if it does not start */
  static async start(variables: Record<string, string>): Promise<Coverage> {
    const service = await spawnService(variables, [...command, '--enable-source-maps', 'dist/src/process/main.js']);
    const { url } = service;
    if (url === undefined) throw new Error(service.errors());
    const socket = new WebSocket(debuggerUrl.exec(service.errors())?.[1] ?? '');
    await once(socket, 'open');
    const coverage = new Coverage({ ...service, url }, socket);
    await coverage.#send('Runtime.evaluate', { expression: 'globalThis.isTimeHeld = true' });
    await coverage.#send('Profiler.enable');
    await coverage.#send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return coverage;
  }

  /** Returns the functions that the service enters from the start of the work until it is idle again, by place. */
  async during(work: () => Promise<unknown>): Promise<ReadonlyMap<string, EnteredFunction>> {
    await this.#untilIdle();
    await work();
    return this.#untilIdle();
  }

  async close(): Promise<void> {
    this.#socket.close();
    this.service.signal('SIGTERM');
    await this.service.ended;
  }

  async #untilIdle(): Promise<Map<string, EnteredFunction>> {
    const entered = new Map<string, EnteredFunction>();
    for (let empty = 0; empty < emptyReports;) {
      const report = await this.#report();
      empty = report.length === 0 ? empty + 1 : 0;
      for (const each of report) entered.set(`${each.file}:${each.offset}`, each);
    }
    return entered;
  }

  /** The functions since the last report. */
  async #report(): Promise<EnteredFunction[]> {
    await this.#send('Runtime.evaluate', {
      awaitPromise: true,
      expression: `(async () => { for (let turn = 0; turn < ${turns}; turn += 1) await new Promise(setImmediate); })()`,
    });
    const { result } = await this.#send<{ result: ScriptCoverage[] }>('Profiler.takePreciseCoverage');
    return result.flatMap(({ url, functions }) => {
      const file = /\/(?:dist\/(?=src\/|rest\/)|(?=packages\/[a-z-]+\/dist\/))(.+)$/
        .exec(url)?.[1]
        ?.replace('/dist/', '/');
      if (file === undefined || url.includes('/node_modules/')) return [];
      return functions
        .filter(({ ranges: [range] }) => range !== undefined && range.count > 0)
        .map(({ functionName, ranges: [range] }) => ({ file, name: functionName, offset: range?.startOffset ?? 0 }));
    });
  }

  async #send<Result>(method: string, params: object = {}): Promise<Result> {
    const id = (this.#lastId += 1);
    const response = new Promise<InspectorMessage>((resolve) => this.#responses.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await withTimeout(`the response of ${method}`, response);
    this.#responses.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as Result;
  }
}
