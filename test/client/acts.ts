import { projects, type Replica, sections, tags, tasks, workspaces } from 'taskgate-client';

interface RandomMutation {
  key: string;
  title?: string;
}

type RandomAction = (replica: Replica, random: () => number) => RandomMutation;

const pick = <Item>(random: () => number, items: readonly Item[]): Item | undefined =>
  items[Math.floor(random() * items.length)];

/** Makes a unique name. This file runs in browsers, too. */
const nameOf = (kind: string, random: () => number) =>
  `${kind}-${Math.floor(random() * 2 ** 52).toString(36)}-${Math.floor(random() * 2 ** 52).toString(36)}`;

const someTask = (replica: Replica, random: () => number) => pick(random, replica.read(tasks.all()))?.id ?? 'task_x';
const someProject = (replica: Replica, random: () => number) => pick(random, replica.read(projects.all()));
const someTag = (replica: Replica, random: () => number) => pick(random, replica.read(tags.all()))?.id;
const someSection = (replica: Replica, random: () => number) =>
  pick(random, replica.read(sections.byProject(someProject(replica, random)?.id ?? '')));
const someWorkspace = (replica: Replica, random: () => number) => pick(random, replica.read(workspaces.all()));

const withTitle = (
  action: (replica: Replica, random: () => number, title: string) => { key: string },
): RandomAction => {
  return (replica, random) => {
    const title = nameOf('title', random);
    return { key: action(replica, random, title).key, title };
  };
};

const actions: readonly RandomAction[] = [
  withTitle((replica, random, title) =>
    replica.mutate('createTask', { input: { title, projectId: someProject(replica, random)?.id ?? null } }),
  ),
  withTitle((replica, random, title) => {
    const tagIds = [someTag(replica, random)].filter((id) => id !== undefined);
    return replica.mutate('createTask', { input: { title, tagIds, dueDate: '2026-11-20' } });
  }),
  withTitle((replica, random, title) =>
    replica.mutate('createTask', { input: { title, parentId: someTask(replica, random) } }),
  ),
  withTitle((replica, random, title) =>
    replica.mutate('updateTask', { id: someTask(replica, random), input: { title, completed: random() < 0.5 } }),
  ),
  withTitle((replica, random, title) => {
    const projectId = someProject(replica, random)?.id ?? null;
    return replica.mutate('updateTask', { id: someTask(replica, random), input: { title, projectId } });
  }),
  withTitle((replica, random, title) => {
    const { id, projectId } = someSection(replica, random) ?? { id: null, projectId: null };
    return replica.mutate('createTask', { input: { title, projectId, sectionId: id } });
  }),
  // The service refuses every one of these.
  withTitle((replica, random, title) =>
    replica.mutate('updateTask', { id: someTask(replica, random), input: { title, color: 'none' } }),
  ),
  (replica, random) => replica.mutate('moveTask', { id: someTask(replica, random), after: someTask(replica, random) }),
  (replica, random) =>
    replica.mutate('updateTask', { id: someTask(replica, random), input: { parentId: someTask(replica, random) } }),
  (replica, random) =>
    replica.mutate('updateTasks', {
      ids: [someTask(replica, random), someTask(replica, random)],
      input: { completed: random() < 0.5 },
    }),
  (replica, random) => replica.mutate('deleteTask', { id: someTask(replica, random) }),
  (replica, random) =>
    replica.mutate('createProject', {
      name: nameOf('project', random),
      workspaceId: random() < 0.5 ? someWorkspace(replica, random)?.id : null,
    }),
  (replica, random) =>
    replica.mutate('updateProject', {
      id: someProject(replica, random)?.id ?? 'proj_x',
      name: nameOf('project', random),
    }),
  (replica, random) =>
    random() < 0.3
      ? replica.mutate('deleteProject', { id: someProject(replica, random)?.id ?? 'proj_x' })
      : replica.mutate('createSection', {
          projectId: someProject(replica, random)?.id ?? 'proj_x',
          name: nameOf('section', random),
        }),
  (replica, random) => {
    const id = someSection(replica, random)?.id ?? 'sect_x';
    if (random() < 0.3) return replica.mutate('deleteSection', { id });
    return replica.mutate('updateSection', {
      id,
      projectId: someProject(replica, random)?.id,
      name: nameOf('section', random),
    });
  },
  (replica, random) => replica.mutate('createTag', { name: nameOf('tag', random) }),
  (replica, random) => replica.mutate('deleteTags', { ids: [someTag(replica, random) ?? 'tag_x'] }),
  (replica, random) => replica.mutate('updatePreferences', { input: { reminderBefore: Math.floor(random() * 100) } }),
];

export function runRandomAction(replica: Replica, random: () => number): RandomMutation {
  const action = pick(random, actions);
  if (!action) throw new Error('there is nothing to do');
  return action(replica, random);
}
