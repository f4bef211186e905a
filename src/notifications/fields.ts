import { type EnumType, type Fields, idField } from '../platform/fields.ts';

export const deliveryStatus = {
  name: 'DeliveryStatus',
  description: 'Status of a mail.',
  values: {
    PLANNED: 'Waits for its time, or is being tried.',
    SENT: 'The mail server accepted the mail.',
    SKIPPED: 'Not sent, because the occasion no longer exists. See `reason`.',
    FAILED: 'Given up. See `reason`.',
  },
} as const satisfies EnumType;

export const deliveryFields = {
  id: {
    ...idField('Delivery'),
    description: 'TypeID with the prefix `dlvr`. The `Message-ID` of the mail begins with it.',
  },
  at: { type: 'timestamp', nullable: false, description: 'Planned time.' },
  status: { type: deliveryStatus, nullable: false, description: 'Status of the mail.' },
  reason: {
    type: 'text',
    nullable: true,
    description: 'Why the mail was skipped or has failed, as a sentence. Null for other statuses.',
  },
  sentAt: {
    type: 'timestamp',
    nullable: true,
    description: 'Time when the mail server accepted the mail. Null if it has not.',
  },
} as const satisfies Fields;
