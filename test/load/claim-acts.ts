import { type Action, type ActionContext, pick, someProject, someTask } from './acts.ts';
import { rest } from './requests.ts';

/** The shortest time of a claim: some end by themselves. */
const seconds = 10;

/** Of claims that an action may meet: the others have ended, or their fences are unlikely to be in force. */
const newestClaims = 12;

const makeClaim: Action = async (context) => {
  const { createdIds, person, random, send } = context;
  const filter = random() < 0.5 ? { projectId: someProject(context) } : {};
  const target = random() < 0.5 ? { taskId: someTask(context) } : { filter };
  const earlier = createdIds.claims.slice(-newestClaims);
  const request = rest('POST', '/api/v2/claims', { ...target, seconds });
  const { claim } = await send(person, { isByAgent: true, request });
  // A filter may find a task of a series, whose due dates are no marks.
  if (!claim || !createdIds.tasks.includes(claim.taskId)) return;
  if (earlier.some(({ fence }) => BigInt(fence) >= BigInt(claim.fence)))
    throw new Error(`a later claim has a smaller fence: ${claim.fence}`);
  createdIds.claims.push({ ...claim, holder: person });
};

/** Acts on a claim, mostly as its holder's agent, else as somebody's session. Without a claim, makes one. */
const claimAction =
  (act: (context: ActionContext, caller: Caller) => Promise<unknown>): Action =>
  async (context) => {
    const claim = pick(context, context.createdIds.claims.slice(-newestClaims));
    if (!claim) return makeClaim(context);
    const isByAgent = context.random() < 0.8;
    const { fence, taskId, holder } = claim;
    return act(context, { fence, taskId, isByAgent, person: isByAgent ? holder : context.person });
  };

interface Caller {
  fence: string;
  taskId: string;
  isByAgent: boolean;
  person: ActionContext['person'];
}

const renew = claimAction(({ send }, { fence, isByAgent, person }) =>
  send(person, { isByAgent, request: rest('POST', `/api/v2/claims/${fence}/renew`, { seconds }) }),
);

/** A session takes the task back. */
const release = claimAction(({ send }, { fence, isByAgent, person }) =>
  send(person, { isByAgent, request: rest('DELETE', `/api/v2/claims/${fence}`) }),
);

const writeUnderFence = claimAction(async (context, { fence, taskId, isByAgent, person }) => {
  const { createdIds, mark: dueDate, random, send } = context;
  const title = `under ${fence} ${dueDate}`;
  const shared = { mark: dueDate, fence, isByAgent };
  if (random() < 0.2) {
    const request = rest('POST', '/api/v2/todo', { dueDate, title });
    const { createdId } = await send(person, { ...shared, columns: { title }, request });
    if (createdId !== undefined) createdIds.tasks.push(createdId);
    return;
  }
  const columns = { title, completed: random() < 0.15 };
  const paths = [`/api/v2/todo/${taskId}`, `/api/v2/todo/bulk?todoIds=${taskId},${someTask(context)}`];
  const request = rest('PATCH', pick(context, paths) ?? '', { dueDate, ...columns });
  await send(person, { ...shared, columns, request });
});

const deleteUnderFence = claimAction(({ send }, { fence, taskId, isByAgent, person }) =>
  send(person, { deletes: taskId, fence, isByAgent, request: rest('DELETE', `/api/v2/todo/${taskId}`) }),
);

const actions = [
  ...[makeClaim, makeClaim, makeClaim, makeClaim, renew, release, deleteUnderFence],
  ...[writeUnderFence, writeUnderFence, writeUnderFence, writeUnderFence],
];

/** Claims a task, renews or releases a claim, takes a task back, or writes under a fence. */
export const actOnClaims: Action = async (context) => pick(context, actions)?.(context);
