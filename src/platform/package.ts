import { createRequire } from 'node:module';
import path from 'node:path';
import { Gauge } from 'prom-client';
import { registry } from '@taskgate/base';

const require = createRequire(import.meta.url);

export const packageFolder = path.dirname(require.resolve('#package.json'));

export const { version } = require('#package.json') as { version: string };

new Gauge({
  name: 'taskgate_build_info',
  help: 'Always 1; its labels are the versions of the service and of Node.',
  labelNames: ['version', 'node'] as const,
  registers: [registry],
}).set({ version, node: process.version }, 1);
