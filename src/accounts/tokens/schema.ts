import { builder } from '../../graphql/builder.ts';
import * as rules from './rules.ts';

export const TokenScope = builder.enumType('TokenScope', {
  description: 'Permission of an access token.',
  values: {
    READ: { description: 'Queries, subscriptions, and GET over REST.' },
    WRITE: { description: 'The same, and changes of tasks, projects, sections, tags and comments.' },
  },
});

const AccessToken = builder.objectRef<rules.AccessToken>('AccessToken').implement({
  description: 'A credential for programs, with its own scopes. See docs/identity.md.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID with the prefix `tokn`. It differs from the secret token.' }),
    name: t.exposeString('name', { description: 'Name that the user chose.' }),
    scopes: t.expose('scopes', {
      type: [TokenScope],
      extensions: { listSize: 10 },
      description: 'Permissions of the token.',
    }),
    spaceIds: t.exposeIDList('spaceIds', {
      extensions: { listSize: 10 },
      nullable: true,
      description:
        "Spaces that the token can access: the user's id for the personal space, and ids of workspaces. Null for all current and future spaces.",
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Expiry time. Null if the token does not expire.',
    }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the last use, to the hour. Null if it has never been used.',
    }),
  }),
});

const CreateAccessTokenInput = builder.inputType('CreateAccessTokenInput', {
  description: 'A new access token.',
  fields: (t) => ({
    name: t.string({ required: true, description: '1 to 100 characters after trimming.' }),
    scopes: t.field({ type: [TokenScope], required: true, description: 'Permissions, at least one.' }),
    spaceIds: t.idList({
      description:
        "Spaces that the token can access: the viewer's id for the personal space, and ids of workspaces. Absent for all current and future spaces.",
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'Expiry time, in the future. Absent if the token does not expire.',
    }),
  }),
});

const CreateAccessTokenPayload = builder
  .objectRef<Awaited<ReturnType<typeof rules.createToken>>>('CreateAccessTokenPayload')
  .implement({
    description: 'Result of `createAccessToken`.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description: 'The secret that the program sends. It is shown only once and not stored.',
      }),
      accessToken: t.expose('accessToken', { type: AccessToken, description: 'The new token without its secret.' }),
    }),
  });

builder.prismaObjectField('User', 'accessTokens', (t) =>
  t.field({
    type: [AccessToken],
    extensions: { listSize: 5 },
    description: "The user's active access tokens, newest first.",
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.tokensOf(context, id, 'token'),
  }),
);

builder.mutationFields((t) => ({
  createAccessToken: t.field({
    extensions: { ignoresIdempotencyKey: 'its response has a secret' },
    type: CreateAccessTokenPayload,
    description:
      'Creates an access token for a program. An account has up to 100. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    args: { input: t.arg({ type: CreateAccessTokenInput, required: true, description: 'The token.' }) },
    resolve: (_root, { input }, context) => rules.createToken(context, input),
  }),
  revokeAccessToken: t.id({
    extensions: { ignoresIdempotencyKey: 'repeating it has no further effect' },
    description: 'Ends an access token of the viewer with its open connections. Returns its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the access token.' }) },
    resolve: (_root, { id }, context) => rules.revokeToken(context, id).then(() => id),
  }),
}));
