import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { describeIfInstalled } from '../kit/where-installed.ts';

// Naming conventions: https://prometheus.io/docs/practices/naming/ and
// https://prometheus.io/docs/instrumenting/writing_exporters/

interface Metric {
  name: string;
  type: string;
  help: string;
}

let service: Service;
let text: string;
let metrics: Metric[];

beforeAll(async () => {
  service = await startService(withMetrics);
  // Labels get their values by use.
  const anna = await signUp(service);
  await anna.post('/api/v2/todo', { title: 'milk' });
  await anna.get('/api/v2/todo');
  ({ text } = await scrape(service.url));
  const helpTexts = new Map(
    [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => [name, help]),
  );
  metrics = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
    help: helpTexts.get(name) ?? '',
  }));
});
afterAll(() => service.close());

const namesOf = (isViolation: (metric: Metric) => boolean) => metrics.filter(isViolation).map(({ name }) => name);

const otherUnits =
  /_(ms|milliseconds|microseconds|nanoseconds|minutes|hours|days|bits|kilobytes|kb|megabytes|mb|percent|percentage)(_|$)/;

const conventions: Record<string, (metric: Metric) => boolean> = {
  'has other characters than lower-case letters, digits and underscores': ({ name }) => !/^[a-z][a-z0-9_]*$/.test(name),
  'is a counter that does not end in _total': ({ name, type }) => type === 'counter' && !name.endsWith('_total'),
  'ends in _total and is no counter': ({ name, type }) => type !== 'counter' && name.endsWith('_total'),
  'ends as a sample of a histogram or summary does': ({ name }) => /_(count|sum|bucket)$/.test(name),
  'names its type': ({ name, type }) => name.split('_').includes(type),
  'has a unit that is no base unit': ({ name }) => otherUnits.test(name),
  'has no help': ({ help }) => help === '',
};

test.each(Object.entries(conventions))('no metric %s', (_label, isViolation) => {
  expect(metrics.length).toBeGreaterThan(50);
  expect(namesOf(isViolation)).toEqual([]);
});

test('no label has the name of one that Prometheus sets', () => {
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label));
  const own = text.split('\n').filter((line) => /^\w+(?<!_bucket)\{.*\ble="/.test(line));
  expect(own).toEqual([]);
  expect([...labels].filter((label) => ['job', 'instance'].includes(label ?? ''))).toEqual([]);
});

describeIfInstalled('/usr/bin/promtool')('promtool check metrics', () => {
  test('complains about nothing that /metrics answers', () => {
    const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    expect({ error, status, said: `${stdout}${stderr}` }).toEqual({ error: undefined, status: 0, said: '' });
  });
});
