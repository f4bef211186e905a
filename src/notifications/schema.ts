import { builder } from '../graphql/builder.ts';
import { exposed } from '../graphql/fields.ts';
import { deliveryFields } from './fields.ts';
import type { DigestPart } from './mails/digest-mail.ts';
import * as rules from './rules.ts';

const Delivery = builder.objectRef<rules.Delivery>('Delivery').implement({
  description: 'A planned or past mail to the caller.',
  fields: (t) => exposed(t, deliveryFields),
});

const Digest = builder.objectRef<rules.Digest>('Digest').implement({
  description:
    "The content of a daily digest: the caller's open tasks that are due, from all their spaces, in their current state.",
  fields: (t) => {
    const part = (name: DigestPart, description: string) =>
      t.prismaField({
        type: ['Task'],
        extensions: { listSize: 10 },
        description,
        // `rules` reads the selected fields.
        resolve: (query, digest) => digest.tasks(name, query) as never,
      });
    return {
      at: t.expose('at', {
        type: 'DateTime',
        nullable: true,
        description: 'Time of the next digest. Null if `dailyDigest` or `emailEnabled` is off.',
      }),
      subject: t.string({
        description: 'Subject of the mail.',
        resolve: async ({ mail }) => (await mail()).subject,
      }),
      text: t.string({ description: 'The mail as plain text.', resolve: async ({ mail }) => (await mail()).text }),
      html: t.string({ description: 'The mail as HTML.', resolve: async ({ mail }) => (await mail()).html }),
      overdue: part('overdue', 'Tasks whose due time or due date has passed, in order of due time.'),
      today: part('today', "Tasks that are due today in the caller's time zone, in order of due time."),
      upcoming: part('upcoming', 'Tasks that are due in the seven days after today, in order of due time.'),
    };
  },
});

builder.prismaObjectField('Task', 'reminders', (t) =>
  t.field({
    type: [Delivery],
    extensions: { listSize: 2 },
    description:
      "The caller's own reminders of the task: the planned one, then past ones, latest first, at most 20. A change of the task takes effect within moments.",
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.remindersOf(context, id),
  }),
);

builder.queryFields((t) => ({
  digest: t.field({
    type: Digest,
    extensions: { cost: 5_000 },
    description: "The caller's digest as it would be sent now, even if their digests are off.",
    resolve: (_root, _args, context) => rules.digest(context),
  }),
  deliveries: t.field({
    type: [Delivery],
    description: "The caller's own mails, planned and past, latest `at` first. They are kept for 90 days.",
    // Tasks without reminders are in the same index.
    extensions: { scans: () => true },
    args: { first: t.arg.int({ defaultValue: 50, description: 'Maximum number, 0 to 500.' }) },
    resolve: (_root, { first }, context) => rules.deliveries(context, first ?? 50),
  }),
}));

builder.mutationField('sendTestMail', (t) =>
  t.boolean({
    extensions: { cost: 20_000 },
    description: "Sends a test mail to the caller's own address, at most 5 in any hour. Returns true.",
    resolve: (_root, _args, context) => rules.sendTestMail(context).then(() => true),
  }),
);
