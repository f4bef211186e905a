import WebSocket from 'ws';
import {
  type Client,
  type ClientOptions,
  createClient,
  type Comment,
  type Project,
  type Query,
  type Replica,
  type Section,
  status,
  type Tag,
  type Task,
  type User,
  type Workspace,
} from 'taskgate-client';
import { withTimeout } from '../kit/until.ts';
import { byId, type Content } from './content.ts';

interface Caller {
  cookie?: string | undefined;
}

export const fetchAs =
  ({ cookie = '' }: Caller): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), Cookie: cookie } });

export const webSocketAs = ({ cookie = '' }: Caller) =>
  class extends WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols, { headers: { Cookie: cookie } });
    }
  };

export const clientAs = ({ url }: { url: string }, session: Caller, options: Partial<ClientOptions> = {}): Client =>
  createClient({ url, fetch: fetchAs(session), webSocket: webSocketAs(session), ...options });

type Row<E> = Omit<E, '__typename'>;

interface Lists {
  viewer: Row<User>;
  workspaces: Row<Workspace>[];
  projects: (Row<Project> & { sections: Row<Section>[] })[];
  tags: Row<Tag>[];
  tasks: {
    nodes: (Omit<Row<Task>, 'tagIds'> & { tags: { id: string }[]; comments: { nodes: Row<Comment>[] } })[];
    pageInfo: { hasNextPage: boolean; endCursor: string };
  };
}

const invitations =
  'invitations { id workspaceId workspaceName email role invitedBy { id name email image } createdAt expiresAt }';
const listQuery = `query ($after: String) {
  viewer { id name email image ${invitations} preferences { emailEnabled reminderBefore taskRemainders automaticRemainder dailyDigest digestTime timeZone activityMails } unreadNotifications }
  workspaces { id name role members { id name email image } memberships { member { id name email image } role } ${invitations} }
  projects { id name slug isDefault viewMode workspaceId sections { id name sortKey projectId } }
  tags { id name color }
  tasks(first: 500, after: $after) {
    nodes {
      id title description priority dueDate dueTime isAllDay completed completedAt color sortKey reminder createdAt updatedAt assigneeIds createdById
      comments(first: 20) { nodes { id taskId author { id name email image } authorId text createdAt editedAt } }
      parentId projectId sectionId tags { id } recurrence { rule basis timeZone start date time number seriesId summary }
      claim { fence client since holder { id name email image } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

export async function contentOfService(client: Client): Promise<Content> {
  const found: Task[] = [];
  const written: Comment[] = [];
  for (let after: string | null = null; ;) {
    const page: Lists = await client.graphql<Lists>(listQuery, { after });
    for (const { tags: carried, comments, ...task } of page.tasks.nodes) {
      written.push(...comments.nodes.map((row) => ({ __typename: 'Comment' as const, ...row })));
      found.push({ __typename: 'Task', ...task, tagIds: carried.map(({ id }) => id).sort() });
    }
    after = page.tasks.pageInfo.endCursor;
    if (page.tasks.pageInfo.hasNextPage) continue;
    return {
      user: { __typename: 'User', ...page.viewer },
      workspaces: byId(page.workspaces.map((row) => ({ __typename: 'Workspace' as const, ...row }))),
      projects: byId(page.projects.map(({ sections: _, ...row }) => ({ __typename: 'Project' as const, ...row }))),
      sections: byId(
        page.projects.flatMap((project) => project.sections.map((row) => ({ __typename: 'Section' as const, ...row }))),
      ),
      tags: byId(page.tags.map((row) => ({ __typename: 'Tag' as const, ...row }))),
      tasks: byId(found),
      comments: byId(written),
    };
  }
}

export const untilShown = <Result>(
  replica: Replica,
  query: Query<Result>,
  isMatch: (result: Result) => boolean,
): Promise<Result> => {
  let unsubscribe: (() => void) | undefined;
  const displayed = new Promise<Result>((resolve) => {
    const check = (result: Result) => {
      if (isMatch(result)) resolve(result);
    };
    unsubscribe = replica.subscribe(query, check);
    check(replica.read(query));
  });
  return withTimeout('what a replica is to show', displayed).finally(() => unsubscribe?.());
};

export const untilLive = (replica: Replica) => untilShown(replica, status, (now) => now === 'live');
