import { z } from 'zod';
import { invalid } from '@taskgate/base';
import { graphql } from '../rest/graphql.ts';
import { fence, seconds } from '../src/claims/input.ts';
import { Names } from './names.ts';
import { filterOf, place, task, TaskFields, toTask } from './tasks.ts';
import { text, tool } from './tool.ts';

const Claimed = graphql('fragment ClaimOfTool on ClaimPayload { fence expiresAt task { ...TaskFields } }', [
  TaskFields,
]);
const Claim = graphql(
  'mutation ClaimByTool($id: ID, $filter: TaskFilter, $seconds: Int!) { claim: claimTask(id: $id, filter: $filter, seconds: $seconds) { ...ClaimOfTool } }',
  [Claimed],
);
const Renew = graphql(
  'mutation RenewByTool($fence: String!, $seconds: Int!) { claim: renewClaim(fence: $fence, seconds: $seconds) { ...ClaimOfTool } }',
  [Claimed],
);
const Release = graphql('mutation ReleaseByTool($fence: String!) { releaseClaim(fence: $fence) { id } }');

export const claimTask = tool({
  name: 'claim_task',
  description:
    'Claims an open task, so that no other program works on it: the one with this `id`, or the first that nobody has claimed and that fits the conditions, by priority, then due date. Returns the task, its `fence`, and when the claim ends; `claimed: false` if no task fits. While you work, give the `fence` to the tools that write, and call this again with the `fence` alone to renew the claim. It ends when `update_tasks` completes the task, or by `release_claim`.',
  input: {
    id: z.string().describe('Of a task. Not together with conditions.').optional(),
    ...place,
    fence: fence.describe('Of your claim, to renew it.').optional(),
    seconds: seconds.default(300).describe('Until the claim ends.'),
  },
  output: { task: task.optional(), fence: text, expiresAt: text, claimed: z.literal(false).optional() },
  documents: [Claim, Renew, Names],
  async answer({ seconds, ...target }, caller) {
    const { id, fence, ...conditions } = target;
    const alone = ['fence', 'id'].find((name) => name in target);
    const other = Object.keys(target).find((name) => name !== alone);
    if (alone && other) throw invalid(other, `must not be given with ${alone}`);
    const filter = id === undefined ? await filterOf(caller, conditions) : undefined;
    const claiming = () => caller.run(Claim, { id, filter, seconds });
    const { claim } = fence === undefined ? await claiming() : await caller.run(Renew, { fence, seconds });
    return claim ? { ...claim, task: toTask(caller, claim.task) } : { claimed: false as const };
  },
});

export const releaseClaim = tool({
  name: 'release_claim',
  description:
    'Ends your claim, so that others can claim the task. Returns the id of the task. Call it if you do not finish a task of `claim_task`; a completed task needs no release.',
  input: { fence: fence.describe('Of your claim.') },
  output: { taskId: z.string() },
  documents: [Release],
  answer: async ({ fence }, caller) => ({ taskId: (await caller.run(Release, { fence })).releaseClaim.id }),
});
