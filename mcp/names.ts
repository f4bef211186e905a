import { invalid } from '@taskgate/base';
import { graphql } from '../rest/graphql.ts';
import type { Caller } from './tool.ts';

export const SpaceNames = graphql('fragment SpaceNames on Workspace { id name members { id name email } }');
export const ProjectNames = graphql(
  'fragment ProjectNames on Project { id name isDefault workspaceId sections { id name } }',
);

export const Names = graphql(
  'query FindNames($ids: [ID!]!) { viewer { id name email } workspaces { ...SpaceNames } projects { ...ProjectNames } tags { id name } nodes(ids: $ids) { ... on Task { id projectId dueDate dueTime } } }',
  [SpaceNames, ProjectNames],
);

interface Named {
  id: string;
  name: string | null;
  email?: string | null;
}

const folded = (text: string | null | undefined) => text?.normalize('NFKC').trim().toLowerCase();

const unique = <Each extends Named>(rows: readonly Each[]) => [
  ...new Map(rows.map((each) => [each.id, each])).values(),
];

const maxCandidates = 20;

const listed = (candidates: readonly Named[]): string => {
  if (candidates.length === 0) return ', and there is none';
  const shown = candidates.slice(0, maxCandidates).map(({ id, name, email }) => `${name ?? email ?? ''} (${id})`);
  const others = candidates.length - shown.length;
  return `: ${shown.join(', ')}${others > 0 ? ` and ${others} others` : ''}`;
};

/** A call may look up thousands of names. @returns a function that finds a row by its id or name */
function finder<Each extends Named>(noun: string, all: readonly Each[]) {
  const keys = all.map((each) => [folded(each.name), folded(each.email)]);

  /** @throws VALIDATION_FAILED with the candidates if the text names none of them, or several */
  return (text: string, place: string, isCandidate: (each: Each) => boolean = () => true): Each => {
    const byId = all.find((each) => each.id === text && isCandidate(each));
    if (byId) return byId;
    const wanted = folded(text);
    const matches = unique(all.filter((each, index) => keys[index]?.includes(wanted) && isCandidate(each)));
    const [match, another] = matches;
    if (another) throw invalid(place, `names several ${noun}s, so give the id of one${listed(matches)}`);
    if (match) return match;
    throw invalid(place, `must be the id or name of a ${noun}${listed(unique(all.filter(isCandidate)))}`);
  };
}

/** What the caller sees, by id or name. @param taskIds tasks whose places are asked for */
export async function readNames(caller: Caller, taskIds: readonly string[] = []) {
  const data = await caller.run(Names, { ids: [...new Set(taskIds)] });
  const { viewer, workspaces, projects, tags, nodes } = data;
  const ofProjects = projects.flatMap(({ id, sections }) => sections.map((each) => ({ ...each, projectId: id })));
  const ofSpaces = workspaces.flatMap(({ id, members }) => members.map((each) => ({ ...each, spaceId: id })));
  const section = finder('section', ofProjects);
  const member = finder('member', [...(viewer ? [{ ...viewer, spaceId: viewer.id }] : []), ...ofSpaces]);
  return {
    personalId: viewer?.id,
    inboxId: projects.find(({ isDefault }) => isDefault)?.id,
    project: finder('project', projects),
    tag: finder('tag', tags),
    /** @param projectId absent: of any project */
    section: (text: string, place: string, projectId?: string) =>
      section(text, place, (each) => projectId === undefined || each.projectId === projectId),
    /** @param projectId absent: a member of any space */
    member(text: string, place: string, projectId?: string) {
      const project = projects.find(({ id }) => id === projectId);
      const spaceId = project && (project.workspaceId ?? viewer?.id);
      if (viewer && folded(text) === 'me') return viewer;
      return member(text, place, (each) => spaceId === undefined || each.spaceId === spaceId);
    },
    task(id: string, place: string) {
      const found = nodes.find((node) => node && 'projectId' in node && node.id === id);
      if (!found || !('projectId' in found)) throw invalid(place, 'must be the id of a task: list_tasks has ids');
      return found;
    },
  };
}
