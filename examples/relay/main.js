// Lists, adds, completes and follows tasks with Relay. `npm run build` compiles documents.js to `__generated__/`. Pages declare documents inline, and
// babel-plugin-relay replaces them.
//
// TASKGATE_EMAIL=… TASKGATE_PASSWORD=… node relay/main.js
import { setTimeout as delay } from 'node:timers/promises';
import relay from 'relay-runtime';
import { resume, webSocket } from '../resume.js';
import { sessionFetch, url } from '../session.js';
import CHANGES from './__generated__/documentsChangesSubscription.graphql.js';
import COMPLETE from './__generated__/documentsCompleteMutation.graphql.js';
import CREATE from './__generated__/documentsCreateMutation.graphql.js';
import DELETE from './__generated__/documentsDeleteMutation.graphql.js';
import TASKS from './__generated__/documentsTasksQuery.graphql.js';

const { commitMutation, ConnectionHandler, Environment, fetchQuery, Network, Observable } = relay;
const { createOperationDescriptor, getRequest, requestSubscription, ROOT_ID, RecordSource, Store } = relay;

const maxAttempts = 5;

/** Sends an operation until it gets a response. The key of a mutation prevents repeated effects. */
async function send({ text, name, operationKind }, variables) {
  const extensions = operationKind === 'mutation' ? { idempotencyKey: crypto.randomUUID() } : undefined;
  const body = JSON.stringify({ query: text, operationName: name, variables, extensions });
  const headers = { 'Content-Type': 'application/json' };
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === maxAttempts;
    try {
      const answer = await (await sessionFetch(`${url}/graphql`, { method: 'POST', headers, body })).json();
      if (isLast || !isTransient(answer)) return answer;
    } catch (error) {
      if (isLast) throw error;
    }
    await delay(200 * 2 ** attempt * Math.random());
  }
}

/** Whether a retry may succeed. */
const isTransient = ({ errors = [] }) =>
  errors.length > 0 &&
  errors.every(({ extensions }) => ['UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE'].includes(extensions?.code));

/** Resumes after any interruption. */
const follow = ({ text, name }, variables) =>
  Observable.create((sink) => resume({ query: text, operationName: name, variables }, sink));

const environment = new Environment({
  network: Network.create(send, follow),
  store: new Store(new RecordSource()),
  // An entity in the store needs no request.
  missingFieldHandlers: [
    {
      kind: 'linked',
      handle: ({ name }, record, args) =>
        record?.getType() === '__Root' && ['node', 'task', 'project', 'tag', 'workspace'].includes(name)
          ? args.id
          : undefined,
    },
  ],
});

const mutate = (mutation, variables, options = {}) =>
  new Promise((resolve, reject) => {
    const onCompleted = (response, errors) => (errors ? reject(errors[0]) : resolve(response));
    // Relay wraps the response of the service if there is no data.
    const onError = (error) => reject(error.source?.errors[0] ?? error);
    commitMutation(environment, { mutation, variables, onCompleted, onError, ...options });
  });

const page = { first: 50 };
const { changes } = await fetchQuery(environment, TASKS, page).toPromise();
const operation = createOperationDescriptor(getRequest(TASKS), page);
environment.retain(operation);
const readTasks = () => environment.lookup(operation.fragment).data.tasks.edges.map(({ node }) => node);
console.log(`listed: ${readTasks().length}`);

const connections = [ConnectionHandler.getConnectionID(ROOT_ID, 'documents_tasks')];
const followed = new Promise((resolve, reject) => {
  const { dispose } = requestSubscription(environment, {
    subscription: CHANGES,
    variables: { after: changes.cursor },
    // Tasks in the store are updated by their ids. Lists need an update after additions and deletions.
    updater(store, { taskChanges }) {
      const { kind, taskId } = taskChanges;
      const task = store.get(taskId);
      const list = store.get(connections[0]);
      const isListed = list.getLinkedRecords('edges').some((edge) => edge.getLinkedRecord('node') === task);
      if (kind === 'DELETED') ConnectionHandler.deleteNode(list, taskId);
      else if (kind === 'CREATED' && task && !isListed)
        ConnectionHandler.insertEdgeAfter(list, ConnectionHandler.createEdge(store, list, task, 'TaskEdge'));
    },
    onNext({ taskChanges: { kind, taskId, task } }) {
      console.log(`followed: ${kind} ${task?.title ?? taskId}`);
      if (kind !== 'UPDATED') return;
      dispose();
      resolve();
    },
    // CURSOR_EXPIRED: list again. SUBSCRIBER_TOO_SLOW: subscribe again after the last cursor.
    onError: reject,
  });
});

const { createTask } = await mutate(CREATE, { title: 'Buy milk', connections });
const optimisticResponse = { updateTask: { id: createTask.id, completed: true } };
await mutate(COMPLETE, { id: createTask.id }, { optimisticResponse });
await followed;
console.log(`completed: ${readTasks().filter(({ completed }) => completed).length} of ${readTasks().length}`);

const { extensions } = await mutate(CREATE, { title: '', connections }).catch((error) => error);
console.log(`refused: ${extensions.code} at ${extensions.errors[0].path}`);

await mutate(DELETE, { id: createTask.id, connections });
console.log(`left: ${readTasks().length}`);
await webSocket.dispose();
