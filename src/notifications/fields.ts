import { type EnumType, type Fields, idField } from '../kernel/fields.ts';

export const deliveryStatus = {
  name: 'DeliveryStatus',
  description: 'What has become of a mail.',
  values: {
    PLANNED: 'It is to be sent at its moment, or is being tried.',
    SENT: 'The mail server has taken it.',
    SKIPPED: 'It was not sent, as there was no reason for it any more; `reason` says why.',
    FAILED: 'It was given up; `reason` says why.',
  },
} as const satisfies EnumType;

/** The fields of a delivery: the GraphQL type, and what REST shows, in this order. */
export const deliveryFields = {
  id: {
    ...idField('Delivery'),
    description: 'TypeID with the prefix `dlvr`; the `Message-ID` of the mail begins with it.',
  },
  at: { type: 'timestamp', nullable: false, description: 'The moment that it is for.' },
  status: { type: deliveryStatus, nullable: false, description: 'What has become of it.' },
  reason: {
    type: 'text',
    nullable: true,
    description: 'Why it was skipped, or has failed, as a sentence; null for all others.',
  },
  sentAt: { type: 'timestamp', nullable: true, description: 'When the mail server took it; null where it has not.' },
} as const satisfies Fields;
