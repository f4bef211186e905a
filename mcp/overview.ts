import { z } from 'zod';
import { graphql } from '../rest/graphql.ts';
import { dayOf } from '../src/door/index.ts';
import { orNotFound } from '../src/platform/errors.ts';
import { dueWithin } from './days.ts';
import { ProjectNames, SpaceNames } from './names.ts';
import { nameOf } from './tasks.ts';
import { reading, shortened } from './tool.ts';

const Overview = graphql(
  'query Overview($overdue: TaskFilter!, $today: TaskFilter!) { viewer { id name email } workspaces { ...SpaceNames } projects { ...ProjectNames tasks(filter: { completed: false }, first: 1) { totalCount } } tags { id name } overdue: tasks(filter: $overdue, first: 1) { totalCount } today: tasks(filter: $today, first: 1) { totalCount } }',
  [SpaceNames, ProjectNames],
);

const named = z.object({ id: z.string(), name: z.string() });

export const overview = reading({
  name: 'overview',
  description:
    'Describes the user’s account: the day and time zone, spaces with members, projects with sections and their number of `open` tasks, tags, and how many open tasks are overdue and due today. Call it first: other tools take these names and ids. Very long lists are cut; `search` finds the others.',
  input: {},
  output: {
    user: named,
    today: z.string(),
    timeZone: z.string(),
    inboxId: z.string().optional(),
    spaces: z.array(named.extend({ members: z.array(named) })),
    projects: z.array(named.extend({ spaceId: z.string(), open: z.int(), sections: z.array(named) })),
    tags: z.array(named),
    counts: z.object({ overdue: z.int(), today: z.int() }),
  },
  documents: [Overview],
  async answer(_input, caller) {
    const { today, timeZone } = await dayOf(caller.context);
    const open = { completed: false };
    const data = await caller.run(Overview, {
      overdue: { ...open, ...dueWithin(today, 'overdue') },
      today: { ...open, ...dueWithin(today, 'today') },
    });
    const { id, name: ownName, email } = orNotFound(data.viewer, 'User');
    const self = { id, name: nameOf({ id, name: ownName, email }) };
    const inboxId = data.projects.find(({ isDefault }) => isDefault)?.id;
    const personal = inboxId === undefined ? [] : [{ id, name: 'Personal', members: [self] }];
    const spaces = data.workspaces.map(({ id, name }) => ({ id, name }));
    // The first members of every space come first.
    const members = data.workspaces
      .flatMap(({ id: spaceId, members }) => members.map((member, place) => ({ spaceId, place, member })))
      .toSorted((one, other) => one.place - other.place);
    const projects = data.projects.map((project) => ({
      ...{ id: project.id, name: project.name, spaceId: project.workspaceId ?? id },
      ...{ open: project.tasks.totalCount, sections: project.sections },
    }));
    // Spaces are cut last.
    return shortened({ spaces }, ({ spaces }) =>
      shortened({ members, projects, tags: data.tags }, ({ members, projects, tags }) => {
        const bySpace = new Map(spaces.map((each) => [each.id, { ...each, members: [] as (typeof self)[] }]));
        for (const { spaceId, member } of members)
          bySpace.get(spaceId)?.members.push({ id: member.id, name: nameOf(member) });
        return {
          user: self,
          ...{ today, timeZone, ...(inboxId !== undefined && { inboxId }) },
          spaces: [...personal, ...bySpace.values()],
          ...{ projects, tags },
          counts: { overdue: data.overdue.totalCount, today: data.today.totalCount },
        };
      }),
    );
  },
});
