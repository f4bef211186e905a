// Lists, adds, completes and follows tasks with Apollo Client.
//
// TASKGATE_EMAIL=… TASKGATE_PASSWORD=… node apollo/main.js
import {
  ApolloClient,
  ApolloLink,
  CombinedGraphQLErrors,
  gql,
  HttpLink,
  InMemoryCache,
  Observable,
} from '@apollo/client';
import { RetryLink } from '@apollo/client/link/retry';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode, print } from 'graphql';
import { resume, webSocket } from '../resume.js';
import { sessionFetch, url } from '../session.js';

const cache = new InMemoryCache({
  possibleTypes: { Node: ['User', 'Task', 'Tag', 'Section', 'Project', 'Workspace'] },
  typePolicies: {
    Query: {
      fields: {
        // Joins the pages of a list, for each filter and order.
        tasks: relayStylePagination(['filter', 'orderBy', 'direction']),
        // A cached task needs no request.
        task: (_, { args, toReference }) => toReference({ __typename: 'Task', id: args.id }),
      },
    },
    Project: { fields: { tasks: relayStylePagination(['filter', 'orderBy', 'direction']) } },
    Section: { fields: { tasks: relayStylePagination(['filter', 'orderBy', 'direction']) } },
    Tag: { fields: { tasks: relayStylePagination(['filter', 'orderBy', 'direction']) } },
    // Changes are not cached: each is sent once.
    TaskChange: { keyFields: false },
  },
});

/** Resumes subscriptions after any interruption. */
const resumeLink = new ApolloLink(
  ({ query, variables, operationName }) =>
    new Observable((observer) => resume({ query: print(query), operationName, variables }, observer)),
);

/** The key makes it safe to send a mutation again. */
const keyLink = new ApolloLink((operation, forward) => {
  if (operation.operationType === OperationTypeNode.MUTATION) {
    operation.extensions.idempotencyKey = crypto.randomUUID();
  }
  return forward(operation);
});
const retryLink = new RetryLink({ attempts: { max: 5, retryIf: isTransient }, delay: { initial: 200, jitter: true } });

/** Whether a retry may help: after network errors, and after API errors that are temporary. */
function isTransient(error) {
  if (!CombinedGraphQLErrors.is(error)) return true;
  return error.errors.every(({ extensions }) => ['UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE'].includes(extensions?.code));
}

const client = new ApolloClient({
  cache,
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    resumeLink,
    // Apollo adds a header that proves that the request is not from a form. `includeExtensions` sends the key.
    ApolloLink.from([
      keyLink,
      retryLink,
      new HttpLink({ uri: `${url}/graphql`, fetch: sessionFetch, includeExtensions: true }),
    ]),
  ),
});

const TASK = gql`
  fragment Task on Task {
    id
    title
    completed
  }
`;
const TASKS = gql`
  query Tasks($after: String) {
    changes {
      cursor
    }
    tasks(first: 50, after: $after) {
      edges {
        cursor
        node {
          ...Task
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
      totalCount
    }
  }
  ${TASK}
`;
const CREATE = gql`
  mutation Create($title: String!) {
    createTask(input: { title: $title }) {
      ...Task
    }
  }
  ${TASK}
`;
const COMPLETE = gql`
  mutation Complete($id: ID!) {
    updateTask(id: $id, input: { completed: true }) {
      id
      completed
    }
  }
`;
const CHANGES = gql`
  subscription Changes($after: String) {
    taskChanges(after: $after) {
      cursor
      kind
      taskId
      task {
        ...Task
      }
    }
  }
  ${TASK}
`;

const { data } = await client.query({ query: TASKS });
console.log(`listed: ${data.tasks.totalCount}`);

/** Cached tasks are updated by their ids. Lists need an update after additions and deletions. */
const changes = client.subscribe({ query: CHANGES, variables: { after: data.changes.cursor } });
const followed = new Promise((resolve, reject) => {
  const subscription = changes.subscribe({
    next: ({ data: { taskChanges } = {}, error }) => {
      // CURSOR_EXPIRED: list again. SUBSCRIBER_TOO_SLOW: subscribe again after the last cursor.
      if (error) return reject(error);
      const { kind, taskId, task } = taskChanges;
      if (kind === 'CREATED') void client.refetchQueries({ include: [TASKS] });
      if (kind === 'DELETED') cache.evict({ id: cache.identify({ __typename: 'Task', id: taskId }) });
      console.log(`followed: ${kind} ${task?.title ?? taskId}`);
      if (kind !== 'UPDATED') return undefined;
      subscription.unsubscribe();
      return resolve();
    },
    error: reject,
  });
});

const { data: created } = await client.mutate({
  mutation: CREATE,
  variables: { title: 'Buy milk' },
  refetchQueries: [TASKS],
});
const { id } = created.createTask;
const query = client.watchQuery({ query: TASKS, fetchPolicy: 'cache-and-network' });
const completed = new Promise((resolve) => {
  query.subscribe(({ data: result }) => {
    if (result?.tasks?.edges?.some(({ node }) => node.completed)) resolve();
  });
});
await client.mutate({
  mutation: COMPLETE,
  variables: { id },
  // Shown at once, and rolled back if it is refused.
  optimisticResponse: { updateTask: { __typename: 'Task', id, completed: true } },
});
await completed;
await followed;
console.log(`completed: ${cache.readFragment({ id: `Task:${id}`, fragment: TASK }).completed ? 1 : 0}`);

const refusal = await client.mutate({ mutation: CREATE, variables: { title: '' } }).catch((error) => error);
if (CombinedGraphQLErrors.is(refusal)) {
  const { code, errors } = refusal.errors[0].extensions;
  console.log(`refused: ${code} at ${errors[0].path}`);
}
await webSocket.dispose();
client.stop();
