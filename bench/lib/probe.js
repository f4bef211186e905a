import { get } from 'node:http';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Milliseconds between two probes. */
const intervalMs = 100;

/**
 * Requests a URL ten times a second in a separate thread, independently of a busy load generator.
 * @param {string} url
 * @returns {() => Promise<number[]>} ends the probe; sorted response times in ms, Infinity for failures
 */
export function probe(url) {
  const worker = new Worker(new URL(import.meta.url), { workerData: url });
  return () =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
      worker.postMessage('end');
    });
}

if (!isMainThread) {
  /** @type {number[]} */
  const times = [];
  const timer = setInterval(() => {
    const startedAt = performance.now();
    get(workerData, { agent: false }, (response) => {
      response
        .resume()
        .once('end', () => times.push(response.statusCode === 200 ? performance.now() - startedAt : Infinity));
    }).once('error', () => times.push(Infinity));
  }, intervalMs);
  parentPort?.once('message', () => {
    clearInterval(timer);
    parentPort?.postMessage(times.sort((a, b) => a - b));
  });
}
