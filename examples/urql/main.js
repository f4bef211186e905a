// Lists, adds and completes tasks with urql and its normalized cache, Graphcache, and follows what happens to them.
//
//   TASKGATE_EMAIL=… TASKGATE_PASSWORD=… node urql/main.js
import { readFile } from 'node:fs/promises';
import { Client, fetchExchange, gql, subscriptionExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { retryExchange } from '@urql/exchange-retry';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { resume, webSocket } from '../resume.js';
import { sessionFetch, url } from '../session.js';

// A page has it made when it is built: @urql/introspection.
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

/** Refetches every list of tasks that is shown. */
function invalidateLists(cache) {
  for (const { fieldName, arguments: args } of cache.inspectFields('Query')) {
    if (fieldName === 'tasks') cache.invalidate('Query', fieldName, args);
  }
}

/** What belongs to the one object that it comes with, and has no id. */
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
      // Tasks that are held are put in by their ids. Lists are updated with what comes and goes.
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
      // Of what is sent again a mutation has one effect, under its key: see `run`.
      retryIf: ({ networkError, graphQLErrors }) =>
        networkError !== undefined ||
        graphQLErrors.some(({ extensions }) => ['UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE'].includes(extensions.code)),
      maxNumberAttempts: 5,
    }),
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: (request) => ({
        // It continues where it was, whatever happens to its connection.
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

/** Settles once what is shown of a query is so. */
const shows = (query, isSo) =>
  new Promise((resolve, reject) => {
    const { unsubscribe } = client.query(query, {}).subscribe(({ data, error }) => {
      if (error) reject(error);
      if (!data || !isSo(data)) return;
      queueMicrotask(() => unsubscribe());
      resolve(data);
    });
  });

const { changes } = await shows(CURSOR, () => true);
const { tasks } = await shows(TASKS, () => true);
console.log(`listed: ${tasks.edges.length}`);

const followed = new Promise((resolve, reject) => {
  const { unsubscribe } = client.subscription(CHANGES, { after: changes.cursor }).subscribe(({ data, error }) => {
    // CURSOR_EXPIRED: away for too long, list again. SUBSCRIBER_TOO_SLOW: subscribe again, after the last cursor.
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
const completed = shows(TASKS, isCompleted);
await run(COMPLETE, { id: createTask.id });
await completed;
await followed;
console.log('completed: 1');

const { graphQLErrors } = await run(CREATE, { title: '' }).catch((error) => error);
const { code, errors } = graphQLErrors[0].extensions;
console.log(`refused: ${code} at ${errors[0].path}`);
await webSocket.dispose();
