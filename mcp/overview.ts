import { z } from 'zod';
import { graphql } from '../rest/graphql.ts';
import { dayOf } from '../src/door/index.ts';
import { orNotFound } from '../src/platform/errors.ts';
import { dueFilter } from './days.ts';
import { ProjectNames, SpaceNames } from './names.ts';
import { nameOf } from './tasks.ts';
import { text, tool } from './tool.ts';

const Overview = graphql(
  'query Overview($overdue: TaskFilter!, $today: TaskFilter!) { viewer { id name email } workspaces { ...SpaceNames } projects { ...ProjectNames open: tasks(filter: { completed: false }, first: 1) { totalCount } } tags { id name } overdue: tasks(filter: $overdue, first: 1) { totalCount } today: tasks(filter: $today, first: 1) { totalCount } }',
  [SpaceNames, ProjectNames],
);

const named = z.object({ id: z.string(), name: z.string() });

const shown = (member: Parameters<typeof nameOf>[0]) => ({ id: member.id, name: nameOf(member) });

export const overview = tool({
  name: 'overview',
  description:
    'Describes the user’s account: the day and time zone, spaces with members, projects with sections and their number of `open` tasks, tags, and how many open tasks are overdue and due today. Call it first: other tools take these names and ids. Very long lists are cut; `search` finds the others.',
  input: {},
  output: {
    user: named,
    today: z.string(),
    timeZone: z.string(),
    inboxId: text,
    spaces: z.array(named.extend({ members: z.array(named) })),
    projects: z.array(named.extend({ spaceId: z.string(), open: z.int(), sections: z.array(named) })),
    tags: z.array(named),
    counts: z.object({ overdue: z.int(), today: z.int() }),
  },
  documents: [Overview],
  async answer(_input, caller) {
    const { today, timeZone } = await dayOf(caller.context);
    const data = await caller.run(Overview, {
      overdue: { completed: false, ...dueFilter(today, 'overdue') },
      today: { completed: false, ...dueFilter(today, 'today') },
    });
    const user = shown(orNotFound(data.viewer, 'User'));
    const inboxId = data.projects.find(({ isDefault }) => isDefault)?.id;
    const personal = inboxId === undefined ? [] : [{ ...user, name: 'Personal', members: [user] }];
    const spaces = data.workspaces.map(({ id, name, members }) => ({ id, name, members: members.map(shown) }));
    return {
      user,
      today,
      timeZone,
      inboxId,
      spaces: [...personal, ...spaces],
      projects: data.projects.map(({ id, name, workspaceId, open, sections }) => {
        return { id, name, spaceId: workspaceId ?? user.id, open: open.totalCount, sections };
      }),
      tags: data.tags,
      counts: { overdue: data.overdue.totalCount, today: data.today.totalCount },
    };
  },
});
