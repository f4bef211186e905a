// Lists, adds, completes and follows tasks with urql and its normalized cache, Graphcache.
//
// TASKGATE_EMAIL=… TASKGATE_PASSWORD=… node urql/main.js
import { readFile } from 'node:fs/promises';
import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { retryExchange } from '@urql/exchange-retry';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { resume, webSocket } from '../resume.js';
import { sessionFetch, url } from '../session.js';

// Pages create it at build time: @urql/introspection.
const schema = introspectionFromSchema(
  buildSchema(await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8')),
);

const TASK = gql`
  fragment Task on Task {
    id
    title
    completed
  }
`;
const TASKS = gql`
  query Tasks($after: String) {
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
    }
  }
  ${TASK}
`;
const CURSOR = gql`
  query Cursor {
    changes {
      cursor
    }
  }
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

/** Refetches every visible list of tasks. */
function invalidateLists(cache) {
  for (const { fieldName, arguments: args } of cache.inspectFields('Query')) {
    if (fieldName === 'tasks') cache.invalidate('Query', fieldName, args);
  }
}

/** Types without ids, which belong to one parent. */
const embedded = ['ChangeConnection', 'SearchResult', 'TaskChange', 'SyncBatch', 'Tombstone', 'Digest'];

const cache = cacheExchange({
  schema,
  keys: Object.fromEntries(embedded.map((type) => [type, () => null])),
  resolvers: {
    Query: {
      tasks: relayPagination(),
      task: (_, { id }) => ({ __typename: 'Task', id }),
    },
  },
  updates: {
    Mutation: {
      createTask: (_result, _args, store) => invalidateLists(store),
      deleteTask: (_result, { id }, store) => store.invalidate({ __typename: 'Task', id }),
    },
    Subscription: {
      // Cached tasks are updated by their ids. Lists need an update after additions and deletions.
      taskChanges: ({ taskChanges: { kind, taskId } }, _args, store) => {
        if (kind === 'CREATED') invalidateLists(store);
        else if (kind === 'DELETED') store.invalidate({ __typename: 'Task', id: taskId });
      },
    },
  },
  optimistic: {
    updateTask: ({ id, input }) => ({ __typename: 'Task', id, ...input }),
  },
});

const client = new Client({
  url: `${url}/graphql`,
  fetch: sessionFetch,
  preferGetMethod: false,
  exchanges: [
    cache,
    retryExchange({
      // The key makes it safe to send a mutation again, see `run`.
      retryIf: ({ networkError, graphQLErrors }) =>
        networkError !== undefined ||
        graphQLErrors.some(({ extensions }) => ['UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE'].includes(extensions.code)),
      maxNumberAttempts: 5,
    }),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: (request) => ({
        // Resumes after any interruption.
        subscribe: (sink) => ({ unsubscribe: resume(request, sink) }),
      }),
    }),
  ],
});

/** @throws a CombinedError, whose `graphQLErrors` have the code in `extensions` */
async function run(mutation, variables) {
  const fetchOptions = { headers: { 'Idempotency-Key': crypto.randomUUID() } };
  const { data, error } = await client.mutation(mutation, variables, { fetchOptions });
  if (error) throw error;
  return data;
}

/** Settles once the result of the query satisfies `isMatch`. */
const waitForResult = (query, isMatch) =>
  new Promise((resolve, reject) => {
    const { unsubscribe } = client.query(query, {}).subscribe(({ data, error }) => {
      if (error) reject(error);
      if (!data || !isMatch(data)) return;
      queueMicrotask(() => unsubscribe());
      resolve(data);
    });
  });

const { changes } = await waitForResult(CURSOR, () => true);
const { tasks } = await waitForResult(TASKS, () => true);
console.log(`listed: ${tasks.edges.length}`);

const followed = new Promise((resolve, reject) => {
  const { unsubscribe } = client.subscription(CHANGES, { after: changes.cursor }).subscribe(({ data, error }) => {
    // CURSOR_EXPIRED: list again. SUBSCRIBER_TOO_SLOW: subscribe again after the last cursor.
    if (error) return reject(error);
    const { kind, taskId, task } = data.taskChanges;
    console.log(`followed: ${kind} ${task?.title ?? taskId}`);
    if (kind !== 'UPDATED') return undefined;
    unsubscribe();
    return resolve();
  });
});

const { createTask } = await run(CREATE, { title: 'Buy milk' });
const isCompleted = ({ tasks: { edges } }) => edges.some(({ node }) => node.id === createTask.id && node.completed);
const completed = waitForResult(TASKS, isCompleted);
await run(COMPLETE, { id: createTask.id });
await completed;
await followed;
console.log('completed: 1');

const { graphQLErrors } = await run(CREATE, { title: '' }).catch((error) => error);
const { code, errors } = graphQLErrors[0].extensions;
console.log(`refused: ${code} at ${errors[0].path}`);
await webSocket.dispose();
