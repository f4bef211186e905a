import { Router } from 'express';

/** @typedef {import('./prisma.js').PrismaClient} PrismaClient */

const tags = { taskTags: { include: { tag: true }, orderBy: { tag: { name: 'asc' } } } };
const bySortKey = [{ sortKey: 'asc' }, { id: 'asc' }];

/** As deep as the data is. */
const tree = {
  ...tags,
  children: {
    orderBy: bySortKey,
    include: { ...tags, children: { orderBy: bySortKey, include: tags } },
  },
};

/** @param {PrismaClient} db */
export function todos(db) {
  const router = Router();
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
 * @returns {object}
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
