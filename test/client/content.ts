import { comments, projects, type Replica, sections, tags, tasks, user, workspaces } from 'taskgate-client';

export type Content = ReturnType<typeof contentOf>;

/** Returns the whole state of a replica, sorted by id. */
export const contentOf = (replica: Replica) => {
  const shown = replica.read(projects.all());
  const shownTasks = replica.read(tasks.all());
  return {
    user: replica.read(user),
    workspaces: byId(replica.read(workspaces.all())),
    projects: byId(shown),
    sections: byId(shown.flatMap(({ id }) => replica.read(sections.byProject(id)))),
    tags: byId(replica.read(tags.all())),
    tasks: byId(shownTasks),
    comments: byId(shownTasks.flatMap(({ id }) => replica.read(comments.byTask(id)))),
  };
};

export const byId = <E extends { readonly id: string }>(rows: readonly E[]): E[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

/** The content without values that only the service knows. */
export const foreseeable = ({ tasks: shown, projects: named, comments: written, ...rest }: Content) => ({
  ...rest,
  comments: written.map((comment) => ({ ...comment, createdAt: '', editedAt: comment.editedAt && '' })),
  tasks: shown.map((task) => ({ ...task, createdAt: '', updatedAt: '', completedAt: '' })),
  projects: named.map((project) => ({ ...project, slug: '' })),
});
