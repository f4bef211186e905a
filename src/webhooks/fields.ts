import { z } from 'zod';
import { wholeNumber } from '../platform/input.ts';
import { type EnumType, type Fields, idField } from '../platform/fields.ts';

export const webhookState = {
  name: 'WebhookState',
  description: 'State of a webhook.',
  values: {
    ACTIVE: 'Messages are sent.',
    FAILING: 'The last attempt failed. Attempts go on for five days. See `reason`.',
    PAUSED: 'The owner has paused it. It keeps its position.',
    DISABLED: 'It has ended for a reason. See `reason`.',
  },
} as const satisfies EnumType;

export const webhookFields = {
  id: idField('Webhook'),
  url: { type: 'text', nullable: false, description: 'Address of the endpoint.' },
  state: { type: webhookState, nullable: false, description: 'State of the webhook.' },
  createdAt: { type: 'timestamp', nullable: false, description: 'Creation time.' },
  maxChanges: {
    type: 'integer',
    shape: wholeNumber(1, 500),
    nullable: false,
    description: 'Maximum number of changes in a message.',
  },
  client: {
    type: 'text',
    nullable: true,
    description: 'Name of the access token that owns it. Null if a session made it.',
  },
  reason: { type: 'text', nullable: true, description: 'Why it is failing or disabled, as a sentence.' },
  failingSince: {
    type: 'timestamp',
    nullable: true,
    description: 'Time of the first failed attempt since the last success.',
  },
  deliveredAt: {
    type: 'timestamp',
    nullable: true,
    description: 'Time when the endpoint last took a message. Null if it has taken none.',
  },
} as const satisfies Fields;

export const attemptFields = {
  messageId: { type: 'text', nullable: false, description: 'Its `webhook-id`. A repeated message has the same.' },
  type: { type: 'text', nullable: false, description: 'Type of the message: `tasks.changed` or `ping`.' },
  at: { type: 'timestamp', nullable: false, description: 'Time of the attempt.' },
  ms: { type: 'integer', shape: z.int().nonnegative(), nullable: false, description: 'Duration in milliseconds.' },
  changes: {
    type: 'integer',
    shape: wholeNumber(0, 500),
    nullable: false,
    description: 'Number of changes in the message.',
  },
  status: {
    type: 'integer',
    shape: wholeNumber(200, 599),
    nullable: true,
    description: 'HTTP status. Null if the endpoint did not answer.',
  },
  error: { type: 'text', nullable: true, description: 'Why the attempt failed, as a sentence. Null for a success.' },
} as const satisfies Fields;
