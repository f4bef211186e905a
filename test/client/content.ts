import { projects, type Replica, sections, tags, tasks, user, workspaces } from 'taskgate-client';

/** What there is of an account. */
export type Content = ReturnType<typeof contentOf>;

/** All that a replica shows, in the order of ids. */
export const contentOf = (replica: Replica) => {
  const shown = replica.read(projects.all());
  return {
    user: replica.read(user),
    workspaces: byId(replica.read(workspaces.all())),
    projects: byId(shown),
    sections: byId(shown.flatMap(({ id }) => replica.read(sections.byProject(id)))),
    tags: byId(replica.read(tags.all())),
    tasks: byId(replica.read(tasks.all())),
  };
};

/** In the order of their ids. */
export const byId = <E extends { readonly id: string }>(rows: readonly E[]): E[] =>
  [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
