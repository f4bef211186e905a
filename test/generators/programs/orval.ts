import { createTask, listTasks, updateTask } from '../generated/orval/client.ts';

const answer = await createTask({ title: 'Water the plants', priority: null });
if (answer.status !== 201) throw new Error(`${answer.data.code}: ${answer.data.message}`);
const { id, dueDate }: { id: string; dueDate: string | null } = answer.data.todo;

const list = await listTasks({ completed: false, tagIds: ['tag'] });
const titles: string[] =
  list.status === 200
    ? list.data.todos.flatMap((each) => [each.title, ...each.children.map(({ title }) => title)])
    : [];

await updateTask(id, { completed: true });
// @ts-expect-error -- a priority that there is not
await createTask({ title: 'Water the plants', priority: 'urgent' });
console.log(dueDate, titles);
