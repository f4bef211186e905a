import { builder } from '../../graphql/builder.ts';
import { exposed, inputFields } from '../../graphql/fields.ts';
import { signedIn } from '../../platform/context.ts';
import { Node } from '../../graphql/node.ts';
import * as data from './data.ts';
import { preferencesFields, userFields } from '../fields.ts';
import * as rules from './rules.ts';

builder.prismaObject('User', {
  select: { id: true },
  interfaces: [Node],
  description: 'The signed-in user: profile and preferences. Other users are visible only as `Member`.',
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
  description: 'Notification settings of a user.',
  fields: (t) => ({
    id: t.exposeID('userId', { description: "The user's id." }),
    ...exposed(t, preferencesFields),
  }),
});

const UpdatePreferencesInput = builder.inputType('UpdatePreferencesInput', {
  description: 'Preferences to change, at least one. Absent ones keep their value. Only `digestTime` can be null.',
  fields: (t) => inputFields((options) => t.field(options), preferencesFields, 'update'),
});

builder.queryField('viewer', (t) =>
  t.prismaField({
    type: 'User',
    nullable: true,
    description: 'The signed-in user. Null if signed out.',
    resolve: (query, _root, _args, { viewer }) => viewer && data.findUser(viewer.connections, viewer.id, query),
  }),
);

builder.mutationFields((t) => ({
  updateProfile: t.prismaField({
    type: 'User',
    extensions: { cost: 20_000 },
    description: 'Changes the name, and the avatar if a file is given.',
    args: {
      name: t.arg.string({ required: true, description: '1 to 255 characters after trimming.' }),
      image: t.arg({
        type: 'Upload',
        description: 'JPEG or PNG of at most 5 MiB and 50 megapixels. Absent or null keeps the avatar.',
      }),
    },
    resolve: data.answeringViewer((context, { name, image }) => rules.updateProfile(context, name, image)),
  }),
  changePassword: t.prismaField({
    type: 'User',
    extensions: { cost: 60_000, ignoresIdempotencyKey: 'has passwords' },
    description:
      "Changes the password and ends the account's other sessions and their subscriptions. The tenth wrong current " +
      'password of a session within 15 minutes ends it.',
    args: {
      currentPassword: t.arg.string({
        description: 'Required if `isPasswordSet` is true. Otherwise the sign-in must be at most ten minutes old.',
      }),
      newPassword: t.arg.string({ required: true, description: '1 to 1,024 characters.' }),
      confirmNewPassword: t.arg.string({ required: true, description: 'The new password again.' }),
    },
    resolve: data.answeringViewer(rules.changePassword),
  }),
  deleteAccount: t.boolean({
    extensions: {
      cost: 60_000,
      ignoresIdempotencyKey: 'has a password, and clears the session cookie; the keys are deleted with the account',
    },
    description:
      'Deletes the account with its profile, personal projects, tasks, tags, sessions, and the workspaces without other ' +
      'members. Other workspaces keep their tasks. The address can sign up again. The tenth wrong ' +
      'password of a session within 15 minutes ends it. Not available over WebSocket.',
    args: {
      password: t.arg.string({
        description: 'Required if `isPasswordSet` is true. Otherwise the sign-in must be at most ten minutes old.',
      }),
    },
    resolve: (_root, args, context) => rules.deleteAccount(context, args).then(() => true),
  }),
  updatePreferences: t.prismaField({
    type: 'Preferences',
    description: 'Changes notification preferences.',
    args: { input: t.arg({ type: UpdatePreferencesInput, required: true, description: 'Preferences to change.' }) },
    resolve: async (query, _root, { input }, context) => {
      const viewer = signedIn(context);
      await rules.updatePreferences(viewer, input);
      return data.findPreferences(viewer.connections, viewer.id, query);
    },
  }),
}));
