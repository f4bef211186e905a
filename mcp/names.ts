import type { ResultOf } from 'gql.tada';
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

const maxCandidates = 20;

const listed = (candidates: readonly Named[]): string => {
  const shown = candidates.slice(0, maxCandidates).map(({ id, name, email }) => `${name ?? email ?? ''} (${id})`);
  const others = candidates.length - shown.length;
  return `${shown.join(', ')}${others > 0 ? ` and ${others} others` : ''}`;
};

/** A call may compare each name with a hundred texts. */
const foldedKeys = new WeakMap<Named, (string | undefined)[]>();
function keysOf(each: Named): (string | undefined)[] {
  const keys = foldedKeys.get(each) ?? [folded(each.name), folded(each.email)];
  foldedKeys.set(each, keys);
  return keys;
}

/** @throws VALIDATION_FAILED with the candidates if the text names none of them, or several */
function choose<Each extends Named>(candidates: readonly Each[], noun: string, text: string, place: string): Each {
  const byId = candidates.find(({ id }) => id === text);
  if (byId) return byId;
  const wanted = folded(text);
  const matches = candidates.filter((each) => keysOf(each).includes(wanted));
  const [match] = matches;
  if (match && matches.length === 1) return match;
  if (match) throw invalid(place, `names several ${noun}s, so give the id of one: ${listed(matches)}`);
  throw invalid(
    place,
    candidates.length > 0
      ? `must be the id or name of a ${noun}: ${listed(candidates)}`
      : `must be the id or name of a ${noun}, and there is none`,
  );
}

/** What the caller sees, by id or name. */
export class Directory {
  readonly #data: ResultOf<typeof Names>;

  constructor(data: ResultOf<typeof Names>) {
    this.#data = data;
  }

  /** @param taskIds tasks whose places are asked for */
  static async read(caller: Caller, taskIds: readonly string[] = []): Promise<Directory> {
    return new Directory(await caller.run(Names, { ids: [...new Set(taskIds)] }));
  }

  /** Of the personal space. */
  get personalId(): string | undefined {
    return this.#data.viewer?.id;
  }

  get inboxId(): string | undefined {
    return this.#data.projects.find(({ isDefault }) => isDefault)?.id;
  }

  project(text: string, place: string) {
    return choose(this.#data.projects, 'project', text, place);
  }

  /** @param projectId absent: of any project */
  section(text: string, projectId: string | undefined, place: string) {
    const sections = this.#data.projects.flatMap(({ id, sections }) =>
      projectId === undefined || id === projectId ? sections.map((section) => ({ ...section, projectId: id })) : [],
    );
    return choose(sections, 'section', text, place);
  }

  tag(text: string, place: string): string {
    return choose(this.#data.tags, 'tag', text, place).id;
  }

  tags(texts: readonly string[] | undefined, place: string): string[] | undefined {
    return texts?.map((text, index) => this.tag(text, `${place}[${index}]`));
  }

  /** @param projectId absent: a member of any space */
  member(text: string, projectId: string | undefined, place: string): string {
    const { viewer, workspaces, projects } = this.#data;
    const self = viewer ? [viewer] : [];
    const own = projects.find(({ id }) => id === projectId);
    const spaces = own ? workspaces.filter(({ id }) => id === own.workspaceId) : workspaces;
    const found = [...(own?.workspaceId == null ? self : []), ...spaces.flatMap(({ members }) => members)];
    const members = new Map(found.map((member) => [member.id, member]));
    if (folded(text) === 'me') return viewer?.id ?? '';
    return choose([...members.values()], 'member', text, place).id;
  }

  members(texts: readonly string[] | undefined, projectId: string | undefined, place: string): string[] | undefined {
    return texts?.map((text, index) => this.member(text, projectId, `${place}[${index}]`));
  }

  /** @throws VALIDATION_FAILED */
  task(id: string, place: string) {
    const found = this.#data.nodes.find((node) => node && 'projectId' in node && node.id === id);
    if (!found || !('projectId' in found)) throw invalid(place, 'must be the id of a task: list_tasks has ids');
    return found;
  }
}
