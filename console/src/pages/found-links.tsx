import { useContext, useMemo } from 'preact/hooks';
import { projects, sections, tags } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import type * as Search from '../search/search.ts';
import { ShownTitle } from '../tasks/shown-title.ts';
import { texts } from '../texts.ts';

interface Link {
  readonly title: string;
  readonly to: string;
  readonly color?: string;
  /** The project of a section. */
  readonly within?: string | undefined;
}

interface Group {
  readonly name: string;
  readonly links: readonly Link[];
  readonly count: string;
}

/** Finds projects, sections and tags by their names. Empty groups are left out. */
export function useFoundLinks(search: typeof Search | undefined, asked: readonly string[]): readonly Group[] {
  const [lists, parts, labels] = [useQuery(projects.all), useQuery(sections.all), useQuery(tags.all)];
  const finders = useMemo(() => {
    const finderOf = (name: string, counted: (number: number) => string, links: readonly Link[]) => {
      const index = search && new search.WordIndex<Link>();
      return (words: readonly string[]): Group => {
        const found = index?.find(links, words) ?? [];
        return { name, links: found, count: counted(found.length) };
      };
    };
    const names = new Map(lists.map(({ id, name }) => [id, name]));
    return [
      finderOf(
        texts.projects,
        texts.projectsOf,
        lists.map(({ id, name }) => ({ title: name, to: `/projects/${id}` })),
      ),
      finderOf(
        texts.sections,
        texts.sectionsOf,
        parts.map(({ id, name, projectId }) => ({
          title: name,
          to: `/projects/${projectId}?section=${id}`,
          within: names.get(projectId),
        })),
      ),
      finderOf(
        texts.tags,
        texts.tagsOf,
        labels.map(({ id, name, color }) => ({ title: name, to: `/tags/${id}`, color: color.toLowerCase() })),
      ),
    ];
  }, [search, lists, parts, labels]);
  return useMemo(() => finders.map((find) => find(asked)).filter(({ links }) => links.length > 0), [finders, asked]);
}

export function FoundLinks({ groups }: { groups: readonly Group[] }) {
  const mark = useContext(ShownTitle);
  return groups.map(({ name, links }) => (
    <section key={name} class="found" role="group" aria-label={name}>
      <h2>{name}</h2>
      <ul>
        {links.map(({ title, to, color, within }) => (
          <li key={to}>
            <a class={color && `tag ${color}`} href={to} aria-label={title} dir="auto">
              {mark(title)}
            </a>
            {within !== undefined && <span dir="auto">{within}</span>}
          </li>
        ))}
      </ul>
    </section>
  ));
}
