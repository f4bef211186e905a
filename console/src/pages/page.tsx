import { useEffect, useMemo } from 'preact/hooks';
import { projects, tasks, user } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { PageDisplay, readDisplay } from '../app/display.ts';
import { isEntryPath } from '../app/paths.ts';
import { go, route } from '../app/router.ts';
import { texts } from '../texts.ts';
import { lazy } from '../ui/lazy.tsx';
import { Assigned } from './assigned.tsx';
import { Completed } from './completed.tsx';
import { CalendarPage } from './calendar/calendar-page.tsx';
import { ProjectPage } from './project/project.tsx';
import { SearchPage } from './search-page.tsx';
import { Missing } from './missing.tsx';
import { TagPage } from './tag.tsx';
import { Today } from './today.tsx';
import { Trash } from './trash.tsx';
import { Upcoming } from './upcoming.tsx';
import { WorkspacePage } from './workspace.tsx';
import { Workspaces } from './workspaces.tsx';

export function Page() {
  const { path, search, from } = route.value;
  useEffect(() => {
    if (isEntryPath(path)) go('/today', { replace: true });
  }, [path]);
  const isTask = path.startsWith('/tasks/');
  const taskId = isTask ? path.slice('/tasks/'.length) : '';
  const task = useQuery(() => tasks.byId(taskId), [taskId]);
  // The page behind the details.
  const address = isTask ? (from ?? (task ? `/projects/${task.projectId}` : '/today')) : path + search;
  const display = useMemo(() => readDisplay(new URL(address, location.origin)), [address]);
  return (
    <PageDisplay.Provider value={display}>
      <PageAt address={address} />
    </PageDisplay.Provider>
  );
}

function PageAt({ address }: { address: string }) {
  const { pathname, searchParams } = new URL(address, location.origin);
  const [, page = '', id = ''] = pathname.split('/');
  const project = useQuery(() => projects.byId(id), [id]);
  const me = useQuery(() => user);
  useEffect(() => {
    const name = project?.name ?? texts.pages[page];
    document.title = name === undefined ? texts.name : `${name} · ${texts.name}`;
  }, [address, project]);
  // The replica is still empty.
  if (!me) return <p class="empty">{texts.opening}</p>;
  if (page === 'today' || page === '') return <Today />;
  if (page === 'upcoming') return <Upcoming />;
  if (page === 'calendar') return <CalendarPage />;
  if (page === 'assigned') return <Assigned />;
  if (page === 'completed') return <Completed />;
  if (page === 'trash') return <Trash />;
  if (page === 'search') return <SearchPage text={searchParams.get('q') ?? ''} />;
  if (page === 'projects') return project ? <ProjectPage key={id} project={project} /> : <Missing />;
  if (page === 'tags') return <TagPage key={id} id={id} />;
  if (page === 'workspaces') return id === '' ? <Workspaces /> : <WorkspacePage key={id} id={id} />;
  if (page === 'notifications') return <Notifications />;
  if (page === 'settings') return <Settings page={id} />;
  return <Missing />;
}

const Settings = lazy(() => import('../settings/settings.tsx').then((module) => module.SettingsPage));
const Notifications = lazy(() => import('./notifications.tsx').then((module) => module.Notifications));
