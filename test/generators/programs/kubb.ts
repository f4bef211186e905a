import { createTask, listTasks, updateTask } from '../generated/kubb/index.ts';

const { todo } = await createTask({ title: 'Water the plants', priority: null });
const { id, dueDate }: { id: string; dueDate: string | null } = todo;

const { todos } = await listTasks({ completed: false, tagIds: ['tag'] });
const titles: string[] = todos.flatMap((each) => [each.title, ...each.children.map(({ title }) => title)]);

await updateTask(id, { completed: true });
// @ts-expect-error -- a priority that there is not
await createTask({ title: 'Water the plants', priority: 'urgent' });
console.log(dueDate, titles);
