import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi-typescript.ts';

const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:4000', credentials: 'include' });

const { data, error } = await client.POST('/api/v2/todo', { body: { title: 'Water the plants', priority: null } });
if (error) throw new Error(`${error.code}: ${error.message}`);
const { id, dueDate }: { id: string; dueDate: string | null } = data.todo;

const { data: list } = await client.GET('/api/v2/todo', { params: { query: { completed: false, tagIds: ['tag'] } } });
const titles: string[] = list?.todos.flatMap((each) => [each.title, ...each.children.map(({ title }) => title)]) ?? [];

await client.PATCH('/api/v2/todo/{id}', { params: { path: { id } }, body: { completed: true } });
// @ts-expect-error -- no colour of a tag
await client.POST('/api/v2/tag', { body: { name: 'garden', color: 'black' } });
console.log(dueDate, titles);
