import { builder } from '../graphql/builder.ts';
import { exposed } from '../graphql/fields.ts';
import { Member } from '../graphql/shared-types.ts';
import { signedIn } from '../platform/context.ts';
import { orNotFound } from '../platform/errors.ts';
import { answering, findById } from '../platform/visible-entities.ts';
import { TaskFilter } from '../tasks/schema.ts';
import { claimFields } from './fields.ts';
import * as rules from './rules.ts';

builder.prismaObject('Claim', {
  select: { fence: true },
  description: 'Says who works on a task, until the claim ends. See docs/programs.md.',
  fields: (t) => ({
    fence: t.string({
      description: claimFields.fence.description,
      select: { fence: true },
      resolve: ({ fence }) => String(fence),
    }),
    ...exposed(t, claimFields),
    holder: t.relation('user', { type: Member, extensions: { isShared: true }, description: 'Who claimed the task.' }),
  }),
});

builder.prismaObjectField('Task', 'claim', (t) =>
  t.relation('claim', { nullable: true, description: "The claim on the task. Null: it is nobody's." }),
);

builder.queryField('claims', (t) =>
  t.prismaField({
    type: ['Claim'],
    extensions: { listSize: 20 },
    description: 'The newest 1,000 claims on tasks that the viewer sees, the newest first.',
    resolve: (query, _root, _args, context) => rules.findClaims(signedIn(context), query),
  }),
);

const ClaimPayload = builder.objectRef<rules.Claimed>('ClaimPayload').implement({
  description: "The viewer's claim on a task.",
  fields: (t) => ({
    task: t.prismaField({
      type: 'Task',
      description: 'The task.',
      resolve: async (query, { taskId }, _args, context) =>
        orNotFound(await findById('Task', signedIn(context), taskId, query), 'Task'),
    }),
    fence: t.exposeString('fence', { description: claimFields.fence.description }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Time when the claim ends.' }),
  }),
});

const seconds = { defaultValue: 300, description: 'Seconds until the claim ends, 10 to 3,600.' } as const;
const fence = { required: true, description: 'Fence of the claim.' } as const;

builder.mutationFields((t) => ({
  claimTask: t.field({
    type: ClaimPayload,
    nullable: true,
    description:
      'Claims a task: others cannot claim it until this claim ends. Takes an id or a filter. A filter takes the first open, unclaimed task that the viewer may change: by priority, due date and time, sort key, id. Null: no task matches. TASK_CLAIMED if the task with the id is claimed.',
    args: {
      id: t.arg.id({ description: 'Id of an open task.' }),
      filter: t.arg({ type: TaskFilter, description: 'Conditions for the task.' }),
      seconds: t.arg.int(seconds),
    },
    resolve: (_root, { seconds, ...target }, context) => rules.claimTask(signedIn(context), target, seconds ?? 300),
  }),
  renewClaim: t.field({
    type: ClaimPayload,
    description: 'Sets the end of a claim of the same session or token. CLAIM_LOST if it has ended.',
    args: { fence: t.arg.string(fence), seconds: t.arg.int(seconds) },
    resolve: (_root, { fence, seconds }, context) => rules.renewClaim(signedIn(context), fence, seconds ?? 300),
  }),
  releaseClaim: t.prismaField({
    type: 'Task',
    description:
      'Ends a claim: one of the same token, or by a session any claim on a task that it may change. CLAIM_LOST if it has ended.',
    args: { fence: t.arg.string(fence) },
    resolve: answering('Task', (context, { fence }) => rules.releaseClaim(signedIn(context), fence)),
  }),
}));
