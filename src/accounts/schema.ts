import { builder, ignoresIdempotencyKey } from '../graphql/builder.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { signedIn } from '../kernel/context.ts';
import { Node } from '../graphql/node.ts';
import * as data from './data.ts';
import { preferencesFields, userFields } from './fields.ts';
import * as rules from './rules.ts';

builder.prismaObject('User', {
  select: { id: true },
  interfaces: [Node],
  description: 'The signed-in user: profile and preferences. Nobody sees another user but as a `Member`.',
  fields: (t) => ({
    ...exposed(t, userFields),
    isPasswordSet: t.boolean({
      description: userFields.isPasswordSet.description,
      select: { passwordHash: true },
      resolve: ({ passwordHash }) => passwordHash !== null,
    }),
    isOAuthLinked: t.boolean({
      description: userFields.isOAuthLinked.description,
      select: { provider: true },
      resolve: ({ provider }) => provider !== null,
    }),
    preferences: t.relation('preferences', {
      nullable: false,
      onNull: 'error',
      description: 'Notification preferences.',
    }),
  }),
});

builder.prismaObject('Preferences', {
  select: { userId: true },
  description: 'When and how a user wants to be notified.',
  fields: (t) => ({
    id: t.exposeID('userId', { description: "The user's id." }),
    ...exposed(t, preferencesFields),
  }),
});

const UpdatePreferencesInput = builder.inputType('UpdatePreferencesInput', {
  description: 'The preferences to change, at least one; an absent one keeps its value. Only `digestTime` can be null.',
  fields: (t) => inputFields((options) => t.field(options), preferencesFields, 'update'),
});

builder.queryField('viewer', (t) =>
  t.prismaField({
    type: 'User',
    nullable: true,
    description: 'The signed-in user; null when signed out.',
    resolve: (query, _root, _args, { viewer }) => viewer && data.findUser(viewer.id, query),
  }),
);

builder.mutationFields((t) => ({
  updateProfile: t.prismaField({
    type: 'User',
    description: 'Changes the name and, where a file is given, the avatar.',
    args: {
      name: t.arg.string({ required: true, description: '1 to 255 characters after trimming.' }),
      image: t.arg({
        type: 'Upload',
        description: 'JPEG or PNG of at most 5 MiB and 50 megapixels; absent or null keeps it.',
      }),
    },
    resolve: data.answeringViewer((context, { name, image }) => rules.updateProfile(context, name, image)),
  }),
  changePassword: t.prismaField({
    type: 'User',
    ...ignoresIdempotencyKey('has passwords'),
    description:
      "Changes the password and ends the account's other sessions and their subscriptions. The tenth wrong present " +
      'password of a session within 15 minutes ends it.',
    args: {
      currentPassword: t.arg.string({
        description: 'Needed where `isPasswordSet` is true; else a sign-in within the last ten minutes is.',
      }),
      newPassword: t.arg.string({ required: true, description: '1 to 1,024 characters.' }),
      confirmNewPassword: t.arg.string({ required: true, description: 'The same once more.' }),
    },
    resolve: data.answeringViewer(rules.changePassword),
  }),
  deleteAccount: t.boolean({
    ...ignoresIdempotencyKey('has a password, and clears the session cookie; the account takes its keys along'),
    description:
      'Deletes the account with all that is its own: profile, personal projects, tasks, tags, sessions, and the workspaces ' +
      'of which it is the last member. Other workspaces keep their tasks. The address can sign up again. The tenth wrong ' +
      'password of a session within 15 minutes ends it. Not over WebSocket.',
    args: {
      password: t.arg.string({
        description: 'Needed where `isPasswordSet` is true; else a sign-in within the last ten minutes is.',
      }),
    },
    resolve: (_root, args, context) => rules.deleteAccount(context, args).then(() => true),
  }),
  updatePreferences: t.prismaField({
    type: 'Preferences',
    description: 'Changes notification preferences.',
    args: { input: t.arg({ type: UpdatePreferencesInput, required: true, description: 'What to change.' }) },
    resolve: async (query, _root, { input }, context) => {
      const viewer = signedIn(context);
      await rules.updatePreferences(viewer, input);
      return data.findPreferences(viewer.id, query);
    },
  }),
}));
