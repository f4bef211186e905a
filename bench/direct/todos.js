import { Router } from 'express';
import { z } from 'zod';
import { serviceModule } from '../lib/paths.js';

/** @typedef {import('./prisma.js').PrismaClient} PrismaClient */

const tags = { taskTags: { include: { tag: true }, orderBy: { tag: { name: 'asc' } } } };
const bySortKey = [{ sortKey: 'asc' }, { id: 'asc' }];

/** As deep as the data. */
const tree = {
  ...tags,
  children: {
    orderBy: bySortKey,
    include: { ...tags, children: { orderBy: bySortKey, include: tags } },
  },
};

const newTask = z.object({
  title: z.string().trim().min(1).max(500),
  description: z.string().nullish(),
  priority: z.enum(['high', 'medium', 'low']).nullish(),
  dueDate: z.iso.date().nullish(),
});

/**
 * @param {string} service source of ids and sort keys
 * @param {PrismaClient} db
 */
export async function todos(service, db) {
  const { newId } = await serviceModule(service, 'src/platform/ids.js');
  const { keyBetween } = await serviceModule(service, 'src/platform/sort-key.js');
  const router = Router();
  // Without a lock, concurrent requests may get the same sort key.
  router.post('/', async (request, response) => {
    const { userId } = /** @type {{ userId: string }} */ (/** @type {unknown} */ (request.session));
    const { data, error } = newTask.safeParse(request.body);
    if (error) return response.status(400).json({ message: error.message });
    const inbox = await db.project.findFirstOrThrow({ where: { spaceId: userId, isDefault: true } });
    const last = await db.task.findFirst({ where: { projectId: inbox.id }, orderBy: { sortKey: 'desc' } });
    const task = await db.task.create({
      data: {
        ...data,
        id: newId('Task'),
        spaceId: userId,
        projectId: inbox.id,
        priority: /** @type {any} */ (data.priority?.toUpperCase()),
        dueDate: data.dueDate == null ? null : new Date(data.dueDate),
        sortKey: keyBetween(last?.sortKey ?? null, null),
      },
    });
    response.status(201).json({ msg: 'todo added sucessfully', todo: flatTodo(task, inbox.id) });
  });
  router.patch('/:id', async (request, response) => {
    const { userId } = /** @type {{ userId: string }} */ (/** @type {unknown} */ (request.session));
    const { data, error } = newTask.partial().safeParse(request.body);
    if (error) return response.status(400).json({ message: error.message });
    const task = await db.task
      .update({
        where: { id: request.params.id, space: { memberships: { some: { userId } } } },
        data: {
          ...data,
          priority: /** @type {any} */ (data.priority?.toUpperCase()),
          dueDate: data.dueDate == null ? data.dueDate : new Date(data.dueDate),
        },
        include: { project: true },
      })
      .catch((/** @type {{ code?: string }} */ { code }) =>
        code === 'P2025' ? null : Promise.reject(new Error(code)),
      );
    if (!task) return response.status(404).json({ message: 'Task not found' });
    response.json({ todo: flatTodo(task, task.project.isDefault ? task.projectId : '') });
  });
  router.get('/', async (request, response) => {
    const { userId } = /** @type {{ userId: string }} */ (/** @type {unknown} */ (request.session));
    const memberships = await db.membership.findMany({
      where: { userId },
      include: { space: { include: { projects: { where: { isDefault: true } } } } },
    });
    const inboxId = memberships.find(({ spaceId }) => spaceId === userId)?.space.projects[0]?.id;
    const tasks = await db.task.findMany({
      where: { spaceId: { in: memberships.map(({ spaceId }) => spaceId) } },
      orderBy: /** @type {any} */ (bySortKey),
      include: /** @type {any} */ (tree),
    });
    response.set('Cache-Control', 'private, no-cache');
    response.json({ todos: tasks.map((task) => toTodo(task, inboxId)) });
  });
  return router;
}

/**
 * @param {any} task
 * @param {string | undefined} inboxId
 * @returns {any}
 */
const toTodo = (task, inboxId) => ({
  id: task.id,
  title: task.title,
  description: task.description,
  priority: task.priority?.toLowerCase() ?? null,
  dueDate: task.dueDate?.toISOString().slice(0, 10) ?? null,
  dueTime: task.dueTime?.toISOString() ?? null,
  isAllDay: task.isAllDay,
  completed: task.completed,
  completedAt: task.completedAt?.toISOString() ?? null,
  color: task.color,
  sortKey: task.sortKey,
  reminder: task.reminder,
  tags: task.taskTags.map(({ tag }) => ({ id: tag.id, name: tag.name, color: tag.color.toLowerCase() })),
  parentId: task.parentId,
  children: (task.children ?? []).map((child) => toTodo(child, inboxId)),
  projectId: task.projectId === inboxId ? null : task.projectId,
  projectSectionId: task.sectionId,
});

/** @param {any} task @param {string} inboxId */
function flatTodo(task, inboxId) {
  const { tags: _tags, children: _children, ...todo } = toTodo({ ...task, taskTags: [] }, inboxId);
  return todo;
}
