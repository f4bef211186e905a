import type { IncomingMessage, ServerResponse } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { version } from './package.ts';

/** The process' metrics. docs/operations.md lists each of them. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });
// Gauges with the suffix of counters: each is the sum of the gauge of the same name without it.
for (const name of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${name}_total`);
new Gauge({
  name: 'taskgate_build_info',
  help: 'Always 1; its labels are the versions of the service and of Node.',
  labelNames: ['version', 'node'] as const,
  registers: [registry],
}).set({ version, node: process.version }, 1);

/** A counter of the process; without labels it exists from the start. */
export const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> =>
  new Counter({ name, help, labelNames, registers: [registry] });

/** Reads a figure when it is scraped: what is measured has nothing to do for it meanwhile. */
type Read = () => number | Promise<number>;

/** A gauge of one figure for the process. */
export function gauge(name: string, help: string, read: Read = () => 0) {
  let source = read;
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await source());
    },
  });
  return {
    /** Has it read from now on, instead of what was before. */
    of: (other: Read) => void (source = other),
  };
}

/**
 * A gauge with a figure for each of several things of one kind, such as the pools of connections.
 * @param labelName says which of the things a figure is of; things are the code's to name, never a client's
 */
export function labelledGauge(name: string, help: string, labelName: string) {
  const readers = new Map<string, Read>();
  new Gauge({
    name,
    help,
    labelNames: [labelName],
    registers: [registry],
    async collect() {
      for (const [thing, read] of readers) this.set({ [labelName]: thing }, await read());
    },
  });
  return {
    /** Has a thing measured from now on; a later thing of the same name takes the place of the former. */
    of: (thing: string, read: Read) => void readers.set(thing, read),
  };
}

export async function sendMetrics(_request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await registry.metrics();
  response.writeHead(200, {
    'Content-Type': registry.contentType,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  response.end(text);
}
