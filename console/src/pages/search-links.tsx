import { useContext, useMemo } from 'preact/hooks';
import { projects, sections, tags } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import type * as Search from '../search/search.ts';
import { RenderTitle } from '../tasks/render-title.ts';
import { texts } from '../texts.ts';

interface Link {
  readonly title: string;
  readonly to: string;
  readonly color?: string;
  /** The project of a section. */
  readonly project?: string | undefined;
}

interface Group {
  readonly name: string;
  readonly links: readonly Link[];
  readonly count: string;
}

/** Finds projects, sections and tags by their names. Empty groups are left out. */
export function useSearchLinks(search: typeof Search | undefined, queryWords: readonly string[]): readonly Group[] {
  const [allProjects, allSections, allTags] = [useQuery(projects.all), useQuery(sections.all), useQuery(tags.all)];
  const searches = useMemo(() => {
    const createSearch = (name: string, countText: (number: number) => string, links: readonly Link[]) => {
      const index = search && new search.WordIndex<Link>();
      return (words: readonly string[]): Group => {
        const matches = index?.find(links, words) ?? [];
        return { name, links: matches, count: countText(matches.length) };
      };
    };
    const names = new Map(allProjects.map(({ id, name }) => [id, name]));
    const projectLinks = allProjects.map(({ id, name }) => ({ title: name, to: `/projects/${id}` }));
    const sectionLinks = allSections.map(({ id, name, projectId }) => ({
      ...{ title: name, to: `/projects/${projectId}?section=${id}`, project: names.get(projectId) },
    }));
    const tagLinks = allTags.map(({ id, name, color }) => ({
      ...{ title: name, to: `/tags/${id}`, color: color.toLowerCase() },
    }));
    return [
      createSearch(texts.projects, texts.projectsOf, projectLinks),
      createSearch(texts.sections, texts.sectionsOf, sectionLinks),
      createSearch(texts.tags, texts.tagsOf, tagLinks),
    ];
  }, [search, allProjects, allSections, allTags]);
  return useMemo(
    () => searches.map((runSearch) => runSearch(queryWords)).filter(({ links }) => links.length > 0),
    [searches, queryWords],
  );
}

export function SearchLinks({ groups }: { groups: readonly Group[] }) {
  const markTitle = useContext(RenderTitle);
  return groups.map(({ name, links }) => (
    <section key={name} class="found" role="group" aria-label={name}>
      <h2>{name}</h2>
      <ul>
        {links.map(({ title, to, color, project }) => (
          <li key={to}>
            <a class={color && `tag ${color}`} href={to} aria-label={title} dir="auto">
              {markTitle(title)}
            </a>
            {project !== undefined && <span dir="auto">{project}</span>}
          </li>
        ))}
      </ul>
    </section>
  ));
}
