import { builder } from '../graphql/builder.ts';
import { exposed } from '../graphql/fields.ts';
import { ChangeKind } from '../graphql/shared-types.ts';
import { attemptFields, webhookFields } from './fields.ts';
import * as rules from './rules.ts';

const WebhookAttempt = builder.objectRef<rules.WebhookAttempt>('WebhookAttempt').implement({
  description: 'An attempt to send a message.',
  fields: (t) => ({
    ...exposed(t, attemptFields),
    messageId: t.exposeID('messageId', { description: attemptFields.messageId.description }),
  }),
});

const Webhook = builder.objectRef<rules.Webhook>('Webhook').implement({
  description: 'Sends changes of tasks to an endpoint. See docs/programs.md.',
  fields: (t) => ({
    ...exposed(t, webhookFields),
    kinds: t.expose('kinds', {
      type: [ChangeKind],
      extensions: { listSize: 3 },
      description: 'Kinds of changes that are sent.',
    }),
    fields: t.exposeStringList('fields', {
      nullable: true,
      extensions: { listSize: 10 },
      description: 'An update is sent only if it changed one of these fields. Null: any.',
    }),
    spaceIds: t.exposeIDList('spaceIds', {
      nullable: true,
      extensions: { listSize: 10 },
      description: 'Spaces whose changes are sent. Null: all spaces of its owner or token.',
    }),
    attempts: t.field({
      type: [WebhookAttempt],
      extensions: { listSize: 50 },
      description: 'The last 50 attempts, newest first.',
      resolve: ({ id }, _args, context) => rules.attemptsOf(context, id),
    }),
  }),
});

const maxChanges = 'Maximum number of changes in a message, 1 to 500.';
const url = 'Address of the endpoint, with https, up to 2,048 characters.';
const fields = 'An update is sent only if it changed one of these fields, named as in `changedFields`.';

const CreateWebhookInput = builder.inputType('CreateWebhookInput', {
  description: 'A new webhook.',
  fields: (t) => ({
    url: t.string({ required: true, description: url }),
    kinds: t.field({ type: [ChangeKind], description: 'Kinds of changes to send. Absent: all.' }),
    fields: t.stringList({ description: `${fields} Absent: any.` }),
    spaceIds: t.idList({
      description:
        "Spaces whose changes are sent: the viewer's id for the personal space, and ids of workspaces. Absent: all, also later ones.",
    }),
    maxChanges: t.int({ defaultValue: 100, description: maxChanges }),
  }),
});

const UpdateWebhookInput = builder.inputType('UpdateWebhookInput', {
  description: 'Changes of a webhook. Absent fields stay.',
  fields: (t) => ({
    url: t.string({ description: url }),
    kinds: t.field({ type: [ChangeKind], description: 'Kinds of changes to send.' }),
    fields: t.stringList({ description: `${fields} Null: any.` }),
    maxChanges: t.int({ description: maxChanges }),
    enabled: t.boolean({
      description: 'False pauses the webhook. True continues at its position, and counts failures from zero.',
    }),
    since: t.field({
      type: 'DateTime',
      description: 'Moves the position to this moment: all later changes are sent again.',
    }),
  }),
});

const WebhookSecretPayload = builder.objectRef<rules.WithSecret>('WebhookSecretPayload').implement({
  description: 'A webhook with a new secret.',
  fields: (t) => ({
    webhook: t.expose('webhook', { type: Webhook, description: 'The webhook.' }),
    secret: t.exposeString('secret', {
      description: 'Key of the signatures (Standard Webhooks 1.0). It is shown only once.',
    }),
  }),
});

builder.prismaObjectField('User', 'webhooks', (t) =>
  t.field({
    type: [Webhook],
    extensions: { listSize: 5 },
    description: "The user's webhooks, by creation. An access token sees only its own.",
    args: { id: t.arg.id({ description: 'Only the webhook with this id.' }) },
    select: { id: true },
    resolve: (_user, { id }, context) => rules.webhooksOf(context, id),
  }),
);

const id = { required: true, description: 'Id of the webhook.' } as const;

builder.mutationFields((t) => ({
  createWebhook: t.field({
    type: WebhookSecretPayload,
    extensions: { ignoresIdempotencyKey: 'its response has a secret' },
    description:
      'Creates a webhook, which begins with the next change. An account has up to 20. For a session, REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    args: { input: t.arg({ type: CreateWebhookInput, required: true, description: 'The webhook.' }) },
    resolve: (_root, { input }, context) => rules.createWebhook(context, input),
  }),
  updateWebhook: t.field({
    type: Webhook,
    description:
      'Changes, pauses or resumes a webhook, or moves its position. For a new `url`, as `createWebhook`. CURSOR_EXPIRED if the change log does not go back so far.',
    args: {
      id: t.arg.id(id),
      input: t.arg({ type: UpdateWebhookInput, required: true, description: 'The changes.' }),
    },
    resolve: (_root, { id, input }, context) => rules.updateWebhook(context, id, input),
  }),
  deleteWebhook: t.id({
    description: 'Deletes a webhook. Returns its id.',
    args: { id: t.arg.id(id) },
    resolve: (_root, { id }, context) => rules.deleteWebhook(context, id).then(() => id),
  }),
  rotateWebhookSecret: t.field({
    type: WebhookSecretPayload,
    extensions: { ignoresIdempotencyKey: 'its response has a secret' },
    description:
      'Gives the webhook a new secret. The secret before signs, too, for 24 hours. For a session, as `createWebhook`.',
    args: { id: t.arg.id(id) },
    resolve: (_root, { id }, context) => rules.rotateSecret(context, id),
  }),
  testWebhook: t.field({
    type: WebhookAttempt,
    extensions: { ignoresIdempotencyKey: 'it sends a message each time' },
    description: 'Sends a message of the type `ping` at once, in any state of the webhook, and moves nothing.',
    args: { id: t.arg.id(id) },
    resolve: (_root, { id }, context) => rules.testWebhook(context, id),
  }),
}));
