import { type SyncedType, syncedTypes, titleOf } from '../platform/entities.ts';
import type { Count } from './data.ts';
import type { Values } from './diffs.ts';

const verbs = { CREATED: 'Created', UPDATED: 'Changed', DELETED: 'Deleted' } as const;

const nounOf = ({ type }: Count) => type.toLowerCase();

const numbered = (count: number, noun: string) => (count === 1 ? `1 ${noun}` : `${count} ${noun}s`);

const ranked: readonly SyncedType[] = ['PROJECT', 'SECTION', 'TASK', 'TAG', ...syncedTypes];

const imageOf = ({ image }: Count) => JSON.parse(image ?? '{}') as Values;

function updated(count: Count, projectNames: ReadonlyMap<string, string>): string {
  const what = numbered(count.count, nounOf(count));
  const image = imageOf(count) as Record<string, [unknown, unknown]>;
  const { project_id: project, completed, name } = image;
  if (project) {
    const to = projectNames.get(String(project[1]));
    return `Moved ${what}${to === undefined ? '' : ` to ${to}`}`;
  }
  if (completed) return completed[1] === true ? `Completed ${what}` : `Reopened ${what}`;
  if ('tags' in image) return `Changed the tags of ${what}`;
  if (name && count.count === 1) return `Renamed ${nounOf(count)} ${String(name[0])} to ${String(name[1])}`;
  const isMoved =
    count.image !== null &&
    Object.keys(image).every((column) => ['parent_id', 'section_id', 'sort_key'].includes(column));
  return `${isMoved ? 'Moved' : 'Changed'} ${what}`;
}

export const projectsNamed = (counts: readonly Count[]): string[] =>
  counts.flatMap((count) => {
    const project =
      count.kind === 'UPDATED' ? (imageOf(count)['project_id'] as [unknown, unknown] | undefined) : undefined;
    return typeof project?.[1] === 'string' ? [project[1]] : [];
  });

/** Texts for changes without images. */
const fieldNames: Readonly<Record<string, string>> = {
  members: 'the members of a workspace',
  profile: 'the profile',
  preferences: 'preferences',
  claim: 'the claim of a task',
};

const nameOfField = (field: string) => fieldNames[field] ?? `the ${field}`;

/** Describes an operation for people: "Deleted 1 project and 12 tasks". */
export function summarize(
  counts: readonly Count[],
  projectNames: ReadonlyMap<string, string>,
  { undoOf, others: fields }: { undoOf: string | null; others: readonly string[] },
): string {
  const sorted = [...counts].sort((one, other) => ranked.indexOf(one.type) - ranked.indexOf(other.type));
  const moved = sorted.filter(({ isMove, kind }) => isMove && kind === 'DELETED');
  const came = sorted.filter(({ isMove, kind }) => isMove && kind === 'CREATED');
  const others = sorted.filter(({ isMove }) => !isMove);
  const of = (kind: Count['kind']) => others.filter((count) => count.kind === kind);
  const listed = (kind: 'CREATED' | 'DELETED') => {
    const parts = of(kind).map(named);
    return parts.length === 0 ? [] : [`${verbs[kind]} ${parts.join(parts.length > 2 ? ', ' : ' and ')}`];
  };
  const away = (moved.length > 0 ? moved : came).map((count) => `Moved ${numbered(count.count, nounOf(count))}`);
  // The other changes of such an operation only follow from these.
  const main = [...listed('DELETED'), ...listed('CREATED'), ...away];
  const all =
    main.length > 0
      ? main
      : of('UPDATED')
          .map((count) => updated(count, projectNames))
          .slice(0, 1);
  const text = all.join('; ');
  if (text === '' && fields.includes('account')) return 'Created the account';
  if (text === '' && fields.length > 0) return `Changed ${[...fields].sort().map(nameOfField).join(' and ')}`;
  if (text === '') return 'Changed something whose details are not kept';
  return undoOf === null ? text : `Undone: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

function named(count: Count): string {
  const called = count.count === 1 && count.kind === 'DELETED' ? imageOf(count)[titleOf(count.type)] : undefined;
  return typeof called === 'string' ? `${nounOf(count)} ${called}` : numbered(count.count, nounOf(count));
}
