import { createTask, listTasks, updateTask } from '../generated/hey-api';
import { client } from '../generated/hey-api/client.gen';

client.setConfig({ baseUrl: 'http://127.0.0.1:4000', credentials: 'include' });

const { data, error } = await createTask({ body: { title: 'Water the plants', priority: null } });
if (error) throw new Error(`${error.code}: ${error.message}`);
const { id, dueDate }: { id: string; dueDate: string | null } = data.todo;

const { data: list } = await listTasks({ query: { completed: false, tagIds: ['tag'] } });
const titles: string[] = list?.todos.flatMap((each) => [each.title, ...each.children.map(({ title }) => title)]) ?? [];

await updateTask({ path: { id }, body: { completed: true } });
// @ts-expect-error -- a priority that there is not
await createTask({ body: { title: 'Water the plants', priority: 'urgent' } });
console.log(dueDate, titles);
