import { useEffect, useState } from 'preact/hooks';
import { comments, type Member, type Query, status, tasks, user } from 'taskgate-client';
import { formatMoment } from '../app/days.ts';
import { withNames } from '../app/mentions.ts';
import { nameOf, namesOf } from '../app/names.ts';
import { workspaceOf } from '../app/people.ts';
import { useQuery } from '../app/replica.ts';
import { currentReplica, request } from '../app/session.ts';
import { shorten } from '../characters.ts';
import { texts } from '../texts.ts';
import { useAction } from '../ui/action.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Empty } from './empty.tsx';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/form.tsx';

interface Entry {
  readonly task: { readonly id: string; readonly title: string };
  readonly reasons: readonly (keyof typeof texts.reasons)[];
  readonly unread: number;
  readonly at: string;
  readonly actor: Member | null;
  readonly comment: { readonly text: string } | null;
}

interface Page {
  readonly nodes: readonly Entry[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

const query = `query ($first: Int) {
  notifications(first: $first) {
    nodes { task { id title } reasons unread at actor { id name email image } comment { text } }
    pageInfo { hasNextPage }
  }
}`;
const read = 'mutation ($taskIds: [ID!], $until: DateTime) { readNotifications(taskIds: $taskIds, until: $until) }';

const [pageSize, maxEntries] = [50, 500];
const maxLength = 300;

const noEntries: readonly Entry[] = [];

/** Comments and assignees of tasks. They change with events of tasks that are unread already. */
const causesOf = (ids: readonly string[]): Query<string> => {
  const [lists, each] = [ids.map(comments.byTask), ids.map((id) => tasks.byId(id))];
  return {
    keys: [...lists, ...each].flatMap(({ keys }) => keys),
    evaluate: (source) =>
      JSON.stringify([
        lists.map((list) => list.evaluate(source).length),
        each.map((task) => task.evaluate(source)?.assigneeIds),
      ]),
  };
};

function textOf({ task, comment }: Entry): string {
  const projectId = currentReplica().read(tasks.byId(task.id))?.projectId;
  return shorten(withNames(comment?.text ?? '', namesOf(workspaceOf(projectId)?.members ?? [])), maxLength);
}

/** No replica holds them. They are loaded again whenever the number of unread ones changes. */
export function Notifications() {
  const isLive = useQuery(() => status) === 'live';
  const unread = useQuery(() => user)?.unreadNotifications ?? 0;
  const [page, setPage] = useState<Page>();
  const [first, setFirst] = useState(pageSize);
  const entries = page?.nodes ?? noEntries;
  const ids = entries.map(({ task }) => task.id);
  const causes = useQuery(() => causesOf(ids), [ids.join()]);
  useEffect(() => {
    if (!isLive) return;
    let isCurrent = true;
    request<{ notifications: Page }>(query, { first })
      .then(({ notifications }) => {
        if (isCurrent) setPage(notifications);
      })
      .catch(() => undefined);
    return () => void (isCurrent = false);
  }, [isLive, unread, first, causes]);
  const markRead = useAction((variables: object) => request(read, variables));
  return (
    <>
      <div class="heading">
        <h1>{texts.notifications}</h1>
        {unread > 0 && entries[0] && (
          <Button
            text={texts.markAllRead}
            aria-disabled={markRead.isBusy}
            onClick={() => markRead.run({ until: entries[0]?.at })}
          />
        )}
      </div>
      <Problem>{markRead.problem}</Problem>
      <ul class="rows notifications" aria-label={texts.notifications}>
        {entries.map((entry) => {
          const { task, reasons, at, actor } = entry;
          return (
            <li key={task.id} class={entry.unread > 0 ? 'unread' : undefined}>
              <Avatar person={actor ?? { name: null, email: null, image: null }} />
              <p>
                <a
                  href={`/tasks/${task.id}`}
                  dir="auto"
                  onClick={() => {
                    if (entry.unread > 0) void markRead.run({ taskIds: [task.id], until: at });
                  }}
                >
                  {task.title}
                </a>
                <span class="hint">
                  {entry.unread > 0 && <strong>{`${texts.unread} · `}</strong>}
                  {reasons.map((reason) => texts.reasons[reason]).join(', ')}
                  {actor && ` · ${nameOf(actor)}`}
                  {` · ${formatMoment(at)}`}
                </span>
                {entry.comment && (
                  <span class="plain" dir="auto">
                    {textOf(entry)}
                  </span>
                )}
              </p>
            </li>
          );
        })}
      </ul>
      {page?.pageInfo.hasNextPage && first < maxEntries && (
        <Button text={texts.showMore} onClick={() => setFirst(first + pageSize)} />
      )}
      {entries.length === 0 && (
        <Empty
          text={page ? texts.noNotifications : isLive ? texts.opening : texts.notificationsOffline}
          goTo={page ? 'today' : false}
        />
      )}
    </>
  );
}
