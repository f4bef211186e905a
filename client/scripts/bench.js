// Measures the CPU of a replica of 10,000 tasks: for the load, for a changed task, and for an edit until it is displayed. Prepared texts
// replace the service, so that nothing else is measured. Build first, then run `node client/scripts/bench.js`.
import { performance } from 'node:perf_hooks';
import { createReplica, memoryStorage, projects, status, tasks } from '../dist/index.js';

const [taskCount, projectCount, tagCount, batchSize, samples] = [10_000, 20, 10, 1_000, 500];

const paddedNumber = (value) => String(value).padStart(22, '0');
const idOf = (kind, index) => `${kind}_01k0${paddedNumber(index)}`;
const range = (count, make) => Array.from({ length: count }, (_, index) => make(index));

const makeTask = (index, fields = {}) => ({
  id: idOf('task', index),
  title: `Task ${index}`,
  description: index % 3 === 0 ? 'A few words on what is to be done, and why. '.repeat(3) : null,
  priority: [null, 'LOW', 'MEDIUM', 'HIGH'][index % 4],
  dueDate: index % 2 === 0 ? `2026-${String((index % 12) + 1).padStart(2, '0')}-15` : null,
  dueTime: null,
  isAllDay: true,
  completed: index % 5 === 0,
  completedAt: null,
  color: null,
  sortKey: `c${String(index).padStart(4, '0')}`,
  recurrence: null,
  reminder: false,
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
  parentId: index % 4 === 3 ? idOf('task', index - 3) : null,
  // A task and its subtasks are in one project.
  projectId: idOf('proj', Math.floor(index / 4) % projectCount),
  sectionId: null,
  tags: index % 2 === 0 ? [{ id: idOf('tag', index % tagCount) }] : [],
  ...fields,
});

const makeBatch = (cursor, fields) => ({
  cursor,
  full: false,
  hasMore: false,
  user: null,
  workspaces: [],
  projects: [],
  sections: [],
  tags: [],
  tasks: [],
  deleted: [],
  mutations: [],
  ...fields,
});

/** The batches of a first load, as text. */
const batches = range(taskCount / batchSize, (page) =>
  JSON.stringify(
    makeBatch(String(page), {
      full: page === 0,
      hasMore: page + 1 < taskCount / batchSize,
      ...(page === 0 && {
        projects: range(projectCount, (index) => ({
          id: idOf('proj', index),
          name: `Project ${index}`,
          slug: null,
          isDefault: index === 0,
          viewMode: null,
          workspaceId: null,
        })),
        tags: range(tagCount, (index) => ({ id: idOf('tag', index), name: `Tag ${index}`, color: 'BLUE' })),
      }),
      tasks: range(batchSize, (index) => makeTask(page * batchSize + index)),
    }),
  ),
);

/** A client that returns these batches, then the pushed ones. */
function createFakeClient() {
  const queue = [];
  let notify = () => undefined;
  let page = 0;
  const client = {
    graphql: (document) =>
      document.startsWith('query')
        ? Promise.resolve({ sync: JSON.parse(batches[page++]) })
        : new Promise(() => undefined),
    async *subscribe() {
      for (;;) {
        const text = queue.shift();
        if (text === undefined) await new Promise((resolve) => (notify = resolve));
        else yield { sync: JSON.parse(text) };
      }
    },
    close: () => undefined,
  };
  const push = (batch) => {
    queue.push(JSON.stringify(batch));
    notify();
  };
  return { client, push };
}

const waitFor = (replica, query, isMatch) =>
  new Promise((resolve) => {
    const stop = replica.subscribe(query, (result) => {
      if (!isMatch(result)) return;
      stop();
      resolve(performance.now());
    });
  });

async function load() {
  const { client, push } = createFakeClient();
  const before = process.cpuUsage();
  const replica = await createReplica({ client, storage: memoryStorage() });
  if (replica.read(status) !== 'live') await waitFor(replica, status, (current) => current === 'live');
  const { user, system } = process.cpuUsage(before);
  return { replica, push, milliseconds: (user + system) / 1000 };
}

const summary = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (quantile) => sorted[Math.floor((sorted.length - 1) * quantile)].toFixed(2);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms`;
};

const loadTimes = [];
for (let count = 0; count < 5; count += 1) {
  const result = await load();
  loadTimes.push(result.milliseconds);
  void result.replica.close();
}
console.log(`${taskCount} tasks loaded and indexed, CPU: ${summary(loadTimes)}`);

const { replica, push } = await load();
// Queries of a typical page.
const watchedQueries = [
  tasks.open(),
  tasks.due({ to: '2026-11-30' }),
  projects.all(),
  tasks.byProject(idOf('proj', 1)),
];
for (const query of watchedQueries) replica.subscribe(query, () => undefined);

const applyTimes = [];
for (let count = 0; count < samples; count += 1) {
  const title = `Changed ${count}`;
  const index = (count * 37) % taskCount;
  const displayed = waitFor(replica, tasks.byId(idOf('task', index)), (task) => task.title === title);
  const start = performance.now();
  push(makeBatch(`live ${count}`, { tasks: [makeTask(index, { title })] }));
  applyTimes.push((await displayed) - start);
}
console.log(`a batch of one task, from its text to the listener: ${summary(applyTimes)}`);

const editTimes = [];
for (let count = 0; count < samples; count += 1) {
  const index = (count * 41) % taskCount;
  const title = `Edited ${count}`;
  const displayed = waitFor(replica, tasks.byId(idOf('task', index)), (task) => task.title === title);
  const start = performance.now();
  replica.mutate('updateTask', { id: idOf('task', index), input: { title } });
  editTimes.push((await displayed) - start);
}
console.log(`an edit, until it is shown, behind up to ${samples} unsent ones: ${summary(editTimes)}`);

const rebaseTimes = [];
for (let count = 0; count < samples; count += 1) {
  const title = `Changed again ${count}`;
  const displayed = waitFor(
    replica,
    tasks.byId(idOf('task', taskCount - 1 - count)),
    (task) => task.description === title,
  );
  const start = performance.now();
  push(makeBatch(`again ${count}`, { tasks: [makeTask(taskCount - 1 - count, { description: title })] }));
  rebaseTimes.push((await displayed) - start);
}
console.log(`a batch of one task under ${samples} unsent edits: ${summary(rebaseTimes)}`);
process.exit();
