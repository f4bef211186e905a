import { builder } from '../graphql/builder.ts';
import { exposed } from '../graphql/fields.ts';
import { deliveryFields } from './fields.ts';
import type { DigestPart } from './mails/digest-mail.ts';
import * as rules from './rules.ts';

const Delivery = builder.objectRef<rules.Delivery>('Delivery').implement({
  description: 'A mail to the caller, from its plan to its end.',
  fields: (t) => exposed(t, deliveryFields),
});

const Digest = builder.objectRef<rules.Digest>('Digest').implement({
  description:
    "What the mail of a day tells: the caller's open tasks that are due, in all their spaces, as they are now.",
  fields: (t) => {
    const part = (name: DigestPart, description: string) =>
      t.prismaField({
        type: ['Task'],
        description,
        // The rows have what is selected: `rules` reads them so.
        resolve: (query, digest) => digest.tasks(name, query) as never,
      });
    return {
      at: t.expose('at', {
        type: 'DateTime',
        nullable: true,
        description: 'When the next one goes out; null where `dailyDigest` or `emailEnabled` is off.',
      }),
      subject: t.string({
        description: 'Subject of the mail.',
        resolve: async ({ mail }) => (await mail()).subject,
      }),
      text: t.string({ description: 'The mail as plain text.', resolve: async ({ mail }) => (await mail()).text }),
      html: t.string({ description: 'The mail as HTML.', resolve: async ({ mail }) => (await mail()).html }),
      overdue: part('overdue', 'Tasks whose due time, or day, has passed, by when they were due.'),
      today: part('today', "Tasks that are due today, in the caller's time zone, by when."),
      upcoming: part('upcoming', 'Tasks that are due in the seven days after today, by when.'),
    };
  },
});

builder.prismaObjectField('Task', 'reminders', (t) =>
  t.field({
    type: [Delivery],
    description:
      "The caller's own reminders of it: the planned one, then past ones, the latest first, at most 20. Planned within moments of a change.",
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.remindersOf(context, id),
  }),
);

builder.queryFields((t) => ({
  digest: t.field({
    type: Digest,
    description: "What the caller's digest would tell if it were sent now, whether they get one or not.",
    resolve: (_root, _args, context) => rules.digest(context),
  }),
  deliveries: t.field({
    type: [Delivery],
    description: "The caller's own mails, planned and past, by `at`, the latest first. They are kept for 90 days.",
    args: { first: t.arg.int({ defaultValue: 50, description: 'Maximum number, 0 to 500.' }) },
    resolve: (_root, { first }, context) => rules.deliveries(context, first ?? 50),
  }),
}));

builder.mutationField('sendTestMail', (t) =>
  t.boolean({
    description:
      "Sends a mail to the caller's own address, which tells whether mails come there; at most 5 in any hour. Gives true.",
    resolve: (_root, _args, context) => rules.sendTestMail(context).then(() => true),
  }),
);
