import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { Agent } from './agent.ts';

let service: Service;
let agent: Agent;
let taskId: string;
beforeAll(async () => {
  service = await startService();
  const anna = await signUp(service);
  agent = await Agent.of(service, anna);
  taskId = (await makeTask(anna)).id;
});
afterAll(() => service.close());

interface Schema {
  type?: string;
  enum?: string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

const strange = [
  '\0',
  '\ud800',
  '',
  ' ',
  '🙂'.repeat(3000),
  '../x',
  '-1',
  '9999-12-31',
  '0000-00-00',
  '24:00',
  '23:59',
];
const others = [null, true, -1, 1e300, 0.5, [], [[]], {}, { $ne: 1 }, [null], Array.from({ length: 300 }, () => 'x')];

/** A value that fits the schema. */
function plain({ type, enum: values, properties = {}, required = [], items = {} }: Schema): unknown {
  if (values) return values[0];
  if (type === 'array') return [plain(items)];
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, plain(properties[name] ?? {})]));
  return { boolean: true, integer: 1 }[type ?? ''] ?? taskId;
}

/** Each argument at any depth, with each strange value. */
function* variants(schema: Schema): Generator {
  yield* [...strange, ...others];
  if (schema.items) for (const value of variants(schema.items)) yield [value];
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    for (const value of variants(property)) yield { ...(plain(schema) as object), [name]: value };
}

test('every argument of every tool refuses it or takes it, without a fault of the service', async () => {
  for (const { name, inputSchema } of await agent.tools()) {
    for (const args of variants(inputSchema as Schema)) {
      if (typeof args !== 'object' || args === null || Array.isArray(args)) continue;
      const { isError, content } = await agent.result(name, args);
      if (isError)
        expect([name, args, content[0]?.text]).toEqual([name, args, expect.stringMatching(/^(?!INTERNAL)[A-Z_]+: ./)]);
    }
  }
});
