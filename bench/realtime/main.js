import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startServer, versionOf } from '../lib/database.js';
import { benchFolder } from '../lib/paths.js';
import { machine } from '../lib/report.js';
import { subscriptions } from '../lib/subscriber.js';
import { delivery } from './delivery.js';
import { deliverySection, report, stormSection, sustainedSection } from './report.js';
import { setStage } from './stage.js';
import { storm } from './storm.js';
import { findSustainedRate } from './sustained.js';

// Measures subscriptions: delivery, mass reconnection, and the sustained rate of changes in a space. A full run writes REALTIME.md, a single part
// prints its result.

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    subscribers: { type: 'string', default: '100,1000,5000' },
    seconds: { type: 'string', default: '20' },
    probe: { type: 'string', default: '10' },
    hold: { type: 'string', default: '60' },
    profile: { type: 'string' },
    service: { type: 'string', default: path.resolve(benchFolder, '..') },
  },
});
const counts = values.subscribers.split(',').map(Number);
const seconds = Number(values.seconds);
const durations = { probeSeconds: Number(values.probe), holdSeconds: Number(values.hold) };
const { taskChanges, sync } = subscriptions;

/** @typedef {import('./stage.js').Stage} Stage */

/** @type {Record<string, (stage: Stage) => Promise<string>>} */
const parts = {
  async delivery(stage) {
    const rows = [];
    for (const count of counts) {
      console.log(`delivery to ${count} subscribers`);
      rows.push(await delivery(stage, count, seconds));
    }
    return deliverySection(rows, seconds);
  },
  async storm(stage) {
    const rows = [];
    for (const isKilled of [false, true]) {
      for (const subscription of [taskChanges, sync]) {
        console.log(`storm of ${subscription.name}, ${isKilled ? 'service killed' : 'connections cut'}`);
        const row = await storm(stage, { subscription, count: Math.max(...counts), isKilled });
        console.log(row);
        rows.push(row);
      }
    }
    return stormSection(rows);
  },
  async sustained(stage) {
    const rows = [];
    for (const [subscription, count] of /** @type {const} */ ([
      [taskChanges, 100],
      [sync, 10],
      [sync, 100],
    ])) {
      console.log(`changes a second with ${count} subscribers of ${subscription.name}`);
      rows.push(await findSustainedRate(stage, { subscription, count, ...durations }));
    }
    return sustainedSection(rows, durations.holdSeconds);
  },
};

const chosen = values.only === undefined ? Object.keys(parts) : values.only.split(',');
const unknown = chosen.filter((name) => !parts[name]);
if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}: ${Object.keys(parts).join(', ')}`);

// The handlers of `exit` end the started processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
const server = await startServer(values.service);
try {
  const nodeArgs = values.profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', path.resolve(values.profile)];
  const stage = await setStage(server, values.service, nodeArgs);
  const sections = [];
  for (const name of chosen) {
    const section = await parts[name]?.(stage);
    console.log(`\n${section}`);
    sections.push(section ?? '');
  }
  if (values.only === undefined) {
    await writeFile(path.join(benchFolder, 'REALTIME.md'), report(sections, machine(await versionOf(server))));
  }
} finally {
  await server.stop();
}
