import type { IncomingMessage, ServerResponse } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';

/** docs/operations.md lists the metrics. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });
// These gauges have the suffix of a counter, and repeat other gauges.
for (const name of ['handles', 'requests', 'resources']) registry.removeSingleMetric(`nodejs_active_${name}_total`);

/** Without labels, the counter exists from the start. */
export const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> =>
  new Counter({ name, help, labelNames, registers: [registry] });

/** Called on each scrape. */
type Read = () => number | Promise<number>;

/** @returns `track`, which replaces the source */
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
    track: (other: Read) => void (source = other),
  };
}

/** Only the code chooses the label's values, never a client. */
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
    track: (thing: string, read: Read) => void readers.set(thing, read),
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
