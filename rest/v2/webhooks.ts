import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import { notFound } from '../../src/platform/errors.ts';
import { attemptFields, webhookFields } from '../../src/webhooks/fields.ts';
import * as input from '../../src/webhooks/input.ts';
import { entity, lower, timestamp } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { idOf } from '../json-schema.ts';
import { message, present, type RestCaller, route } from '../route.ts';
import { type ChangeData, toChange } from './changes.ts';
import { type TaskRecord, TaskWithTags } from './task-shape.ts';

const own = entity('Webhook', webhookFields);
const attempt = entity('WebhookAttempt', attemptFields, 'An attempt to send a message of a webhook.');

const kinds = ['created', 'updated', 'deleted'] as const;

export const webhook = own.response
  .extend({
    kinds: z.array(z.enum(kinds)).describe('Kinds of changes that are sent.'),
    fields: z.array(z.string()).nullable().describe('An update is sent only if it changed one of these. Null: any.'),
    spaceIds: z.array(z.string()).nullable().describe('Spaces whose changes are sent. Null: all.'),
  })
  .meta({ id: 'Webhook', description: 'Sends changes of tasks to an endpoint.' });

const WithLists = graphql('fragment WithLists on Webhook { ...WebhookFields kinds fields spaceIds }', [own.fragment]);

const show = (data: ResultOf<typeof WithLists>) => ({
  ...own.show(data),
  kinds: data.kinds.map((kind) => lower(kind)),
});

const upper = z.array(z.enum(kinds).transform((kind) => kind.toUpperCase() as Uppercase<typeof kind>));
const kindsIn = upper.nullish().describe('Kinds of changes to send.');

const path = z.object({ id: idOf('Webhook') });
const secret = z.string().describe('Key of the signatures. It is shown only once.');
const reauthentication = ['REAUTHENTICATION_REQUIRED'] as const;

/** How a message shows a change: as the change log, with who made it. */
export const messages = {
  task: TaskWithTags,
  show: (
    { actorId, client, ...change }: Omit<ChangeData, 'task'> & { actorId: string | null; client: string | null },
    task: TaskRecord | null,
    caller: RestCaller,
  ) => ({ ...toChange({ ...change, task }, caller), actorId, client }),
};

export const webhooks = [
  route({
    method: 'get',
    path: '/api/v2/webhooks',
    summary: "Lists the caller's webhooks",
    description: 'By creation. An access token sees only its own.',
    document: graphql('query ListWebhooks { viewer { webhooks { ...WithLists } } }', [WithLists]),
    response: z.object({ webhooks: z.array(webhook) }),
    reply: ({ viewer }) => ({ webhooks: present(viewer).webhooks.map(show) }),
  }),
  route({
    method: 'post',
    path: '/api/v2/webhooks',
    summary: 'Creates a webhook',
    description:
      'It begins with the next change. An account has up to 20. A session requires a sign-in within the last ten minutes.',
    errors: reauthentication,
    input: z.object({ body: input.createWebhook.extend({ kinds: kindsIn }) }),
    names: { input: '' },
    document: graphql(
      'mutation CreateWebhook($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { ...WithLists } secret } }',
      [WithLists],
    ),
    variables: ({ body }) => ({ input: body }),
    status: 201,
    response: z.object({ webhook, secret }),
    reply: ({ createWebhook }) => ({ webhook: show(createWebhook.webhook), secret: createWebhook.secret }),
  }),
  route({
    method: 'patch',
    path: '/api/v2/webhooks/:id',
    summary: 'Changes a webhook, pauses or resumes it, or moves its position',
    description: 'A new `url` requires a sign-in within the last ten minutes, if the caller is a session.',
    resource: 'Webhook',
    errors: [...reauthentication, 'CURSOR_EXPIRED'],
    input: z.object({
      path,
      body: input.updateWebhook.extend({
        kinds: kindsIn,
        since: timestamp.nullish().describe('Moves the position: all later changes are sent again.'),
      }),
    }),
    names: { input: '' },
    document: graphql(
      'mutation UpdateWebhook($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { ...WithLists } }',
      [WithLists],
    ),
    variables: ({ path: { id }, body }) => ({ id, input: body }),
    response: z.object({ webhook }),
    reply: ({ updateWebhook }) => ({ webhook: show(updateWebhook) }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/webhooks/:id',
    summary: 'Deletes a webhook',
    description: 'It sends nothing more.',
    resource: 'Webhook',
    input: z.object({ path }),
    document: graphql('mutation DeleteWebhook($id: ID!) { deleteWebhook(id: $id) }'),
    ...message('webhook deleted successfully'),
  }),
  route({
    method: 'post',
    path: '/api/v2/webhooks/:id/secret',
    summary: 'Gives a webhook a new secret',
    description:
      'The secret before signs, too, for 24 hours. A session requires a sign-in within the last ten minutes.',
    resource: 'Webhook',
    errors: reauthentication,
    input: z.object({ path }),
    document: graphql(
      'mutation RotateWebhookSecret($id: ID!) { rotateWebhookSecret(id: $id) { webhook { ...WithLists } secret } }',
      [WithLists],
    ),
    response: z.object({ webhook, secret }),
    reply: ({ rotateWebhookSecret: { webhook, secret } }) => ({ webhook: show(webhook), secret }),
  }),
  route({
    method: 'post',
    path: '/api/v2/webhooks/:id/test',
    summary: 'Sends a test message to a webhook',
    description: 'Of the type `ping`, at once, in any state. It moves nothing.',
    resource: 'Webhook',
    input: z.object({ path }),
    document: graphql('mutation TestWebhook($id: ID!) { testWebhook(id: $id) { ...WebhookAttemptFields } }', [
      attempt.fragment,
    ]),
    response: z.object({ attempt: attempt.response }),
    reply: ({ testWebhook }) => ({ attempt: testWebhook }),
  }),
  route({
    method: 'get',
    path: '/api/v2/webhooks/:id/attempts',
    summary: 'Lists the last 50 attempts of a webhook',
    description: 'Newest first.',
    resource: 'Webhook',
    input: z.object({ path }),
    document: graphql(
      'query ListWebhookAttempts($id: ID!) { viewer { webhooks(id: $id) { attempts { ...WebhookAttemptFields } } } }',
      [attempt.fragment],
    ),
    response: z.object({ attempts: z.array(attempt.response) }),
    reply({ viewer }) {
      const [found] = present(viewer).webhooks;
      if (!found) throw notFound('Webhook');
      return { attempts: found.attempts };
    },
  }),
];
