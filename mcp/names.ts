import { groupBy, invalid } from '@taskgate/base';
import { graphql } from '../rest/graphql.ts';
import { orNotFound } from '../src/platform/errors.ts';
import type { Api } from './tool.ts';

export const SpaceNames = graphql('fragment SpaceNames on Workspace { id name members { id name email } }');
export const ProjectNames = graphql(
  'fragment ProjectNames on Project { id name isDefault workspaceId sections { id name } }',
);

export const Names = graphql(
  'query FindNames($ids: [ID!]!) { viewer { id name email } workspaces { ...SpaceNames } projects { ...ProjectNames } tags { id name } nodes(ids: $ids) { ... on Task { id projectId dueDate dueTime } } }',
  [SpaceNames, ProjectNames],
);

type Given = string | null | undefined;

interface Named {
  id: string;
  name: string | null;
  email?: string | null;
  /** Its project or space. */
  home?: string;
}

/** In UTF-16 code units: a name has up to 255 characters, which may be decomposed. */
const longestName = 1000;

/** No name is empty. Time to normalize grows with the square of the combining marks. */
const folded = (text: Given) => (text && text.length > longestName ? '' : text?.normalize('NFKC').trim().toLowerCase());

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

type Found<Text, Each> = Each | (Text extends string ? never : undefined);

/** A call may look up thousands of names. @returns a function that finds a row by its id or name */
function finder<Each extends Named>(noun: string, all: readonly Each[]) {
  const byId = groupBy(all, ({ id }) => id);
  const named = all.flatMap((each) => [each.name, each.email].map((name) => ({ name: folded(name), each })));
  const byName = groupBy(named, ({ name }) => name);

  /** @param home absent: anywhere @returns undefined without a text @throws VALIDATION_FAILED with the candidates, unless one matches */
  return <Text extends Given>(text: Text, place: string, home?: string): Found<Text, Each> => {
    if (text == null) return undefined as Found<Text, Each>;
    const isCandidate = (each: Each) => home === undefined || each.home === home;
    const ofName = () => byName.get(folded(text))?.map(({ each }) => each) ?? [];
    const ofId = byId.get(text)?.filter(isCandidate) ?? [];
    const matches = unique(ofId.length > 0 ? ofId : ofName().filter(isCandidate));
    const [match, another] = matches;
    if (another) throw invalid(place, `names several ${noun}s, so give the id of one${listed(matches)}`);
    if (match) return match;
    throw invalid(place, `must be the id or name of a ${noun}${listed(unique(all.filter(isCandidate)))}`);
  };
}

/** Finds entities that the caller sees by id or name. @param taskIds ids for `task` */
export async function readNames(api: Api, taskIds: readonly string[] = []) {
  const data = await api.run(Names, { ids: [...new Set(taskIds)] });
  const { workspaces, projects, tags, nodes } = data;
  const viewer = orNotFound(data.viewer, 'User');
  const personal = { id: viewer.id, members: [viewer] };
  const inSpaces = [personal, ...workspaces].flatMap(({ id: home, members }) =>
    members.map((each) => ({ ...each, home })),
  );
  const inProjects = projects.flatMap(({ id: home, sections }) => sections.map((each) => ({ ...each, home })));
  const member = finder('member', inSpaces);
  return {
    personalId: viewer.id,
    inboxId: projects.find(({ isDefault }) => isDefault)?.id,
    project: finder('project', projects),
    tag: finder('tag', tags),
    section: finder('section', inProjects),
    /** @param projectId absent: a member of any space */
    member<Text extends Given>(text: Text, place: string, projectId?: string) {
      if (folded(text) === 'me') return viewer;
      const project = projects.find(({ id }) => id === projectId);
      return member(text, place, project && (project.workspaceId ?? viewer.id));
    },
    task(id: Given, place: string) {
      if (id == null) return undefined;
      const found = nodes.find((node) => node && 'projectId' in node && node.id === id);
      if (!found || !('projectId' in found)) throw invalid(place, 'must be the id of a task: list_tasks has ids');
      return found;
    },
  };
}
