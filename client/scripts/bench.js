// What a replica of 10,000 tasks costs its page: CPU of the load, of one task that changes, and of an edit until it is shown. There is
// no service: answers are texts that were made before, so that nothing else is measured. Build first; `node client/scripts/bench.js`.
import { performance } from 'node:perf_hooks';
import { createReplica, memoryStorage, projects, status, tasks } from '../dist/index.js';

const [taskCount, projectCount, tagCount, batchSize, samples] = [10_000, 20, 10, 1_000, 500];

const number = (value) => String(value).padStart(22, '0');
const idOf = (kind, index) => `${kind}_01k0${number(index)}`;
const range = (count, make) => Array.from({ length: count }, (_, index) => make(index));

const taskOf = (index, fields = {}) => ({
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

const batchOf = (cursor, fields) => ({
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
    batchOf(String(page), {
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
      tasks: range(batchSize, (index) => taskOf(page * batchSize + index)),
    }),
  ),
);

/** A client that returns these batches, then the pushed ones. */
function prepared() {
  const pushed = [];
  let notify = () => undefined;
  let page = 0;
  const client = {
    graphql: (document) =>
      document.startsWith('query')
        ? Promise.resolve({ sync: JSON.parse(batches[page++]) })
        : new Promise(() => undefined),
    async *subscribe() {
      for (;;) {
        const text = pushed.shift();
        if (text === undefined) await new Promise((resolve) => (notify = resolve));
        else yield { sync: JSON.parse(text) };
      }
    },
    close: () => undefined,
  };
  const push = (batch) => {
    pushed.push(JSON.stringify(batch));
    notify();
  };
  return { client, push };
}

const shown = (replica, query, isSo) =>
  new Promise((resolve) => {
    const stop = replica.subscribe(query, (result) => {
      if (!isSo(result)) return;
      stop();
      resolve(performance.now());
    });
  });

async function load() {
  const { client, push } = prepared();
  const before = process.cpuUsage();
  const replica = await createReplica({ client, storage: memoryStorage() });
  if (replica.read(status) !== 'live') await shown(replica, status, (now) => now === 'live');
  const { user, system } = process.cpuUsage(before);
  return { replica, push, milliseconds: (user + system) / 1000 };
}

const summary = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor((sorted.length - 1) * share)].toFixed(2);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, worst ${at(1)} ms`;
};

const loads = [];
for (let count = 0; count < 5; count += 1) {
  const loaded = await load();
  loads.push(loaded.milliseconds);
  void loaded.replica.close();
}
console.log(`${taskCount} tasks loaded and indexed, CPU: ${summary(loads)}`);

const { replica, push } = await load();
// What a page of an app shows.
const watched = [tasks.open(), tasks.due({ to: '2026-11-30' }), projects.all(), tasks.byProject(idOf('proj', 1))];
for (const query of watched) replica.subscribe(query, () => undefined);

const applied = [];
for (let count = 0; count < samples; count += 1) {
  const title = `Changed ${count}`;
  const index = (count * 37) % taskCount;
  const coming = shown(replica, tasks.byId(idOf('task', index)), (task) => task.title === title);
  const begun = performance.now();
  push(batchOf(`live ${count}`, { tasks: [taskOf(index, { title })] }));
  applied.push((await coming) - begun);
}
console.log(`a batch of one task, from its text to the listener: ${summary(applied)}`);

const edited = [];
for (let count = 0; count < samples; count += 1) {
  const index = (count * 41) % taskCount;
  const title = `Edited ${count}`;
  const coming = shown(replica, tasks.byId(idOf('task', index)), (task) => task.title === title);
  const begun = performance.now();
  replica.mutate('updateTask', { id: idOf('task', index), input: { title } });
  edited.push((await coming) - begun);
}
console.log(`an edit, until it is shown, behind up to ${samples} unsent ones: ${summary(edited)}`);

const rebased = [];
for (let count = 0; count < samples; count += 1) {
  const title = `Changed again ${count}`;
  const coming = shown(replica, tasks.byId(idOf('task', taskCount - 1 - count)), (task) => task.description === title);
  const begun = performance.now();
  push(batchOf(`again ${count}`, { tasks: [taskOf(taskCount - 1 - count, { description: title })] }));
  rebased.push((await coming) - begun);
}
console.log(`a batch of one task under ${samples} unsent edits: ${summary(rebased)}`);
process.exit();
