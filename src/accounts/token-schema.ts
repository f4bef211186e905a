import { builder, ignoresIdempotencyKey } from '../graphql/builder.ts';
import * as rules from './token-rules.ts';

const TokenScope = builder.enumType('TokenScope', {
  description: 'What an access token may do.',
  values: {
    READ: { description: 'Queries, subscriptions, and GET over REST.' },
    WRITE: { description: 'The same, and to change tasks, projects, sections and tags.' },
  },
});

const AccessToken = builder.objectRef<rules.AccessToken>('AccessToken').implement({
  description: 'What a program signs in by, with its own rights: see docs/identity.md.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID with the prefix `tokn`; the token itself is another value.' }),
    name: t.exposeString('name', { description: 'What its user calls it.' }),
    scopes: t.expose('scopes', { type: [TokenScope], description: 'What it may do.' }),
    spaceIds: t.exposeIDList('spaceIds', {
      nullable: true,
      description:
        "The only spaces that it reaches: the user's id (the personal one) and workspaces; null: all, later ones too.",
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true, description: 'When it ends; null: never.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last used, to the hour; null: never.',
    }),
  }),
});

const CreateAccessTokenInput = builder.inputType('CreateAccessTokenInput', {
  description: 'A new access token.',
  fields: (t) => ({
    name: t.string({ required: true, description: '1 to 100 characters after trimming.' }),
    scopes: t.field({ type: [TokenScope], required: true, description: 'What it may do: at least one.' }),
    spaceIds: t.idList({
      description:
        "The only spaces that it is to reach: the viewer's id (the personal one) and workspaces; absent: all, later ones too.",
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'When it ends: in the future; absent: never.' }),
  }),
});

const CreateAccessTokenPayload = builder
  .objectRef<Awaited<ReturnType<typeof rules.createToken>>>('CreateAccessTokenPayload')
  .implement({
    description: 'An access token that was made.',
    fields: (t) => ({
      token: t.exposeString('token', { description: 'What the program sends. It is shown this once, and not stored.' }),
      accessToken: t.expose('accessToken', { type: AccessToken, description: 'What its user is shown of it.' }),
    }),
  });

builder.prismaObjectField('User', 'accessTokens', (t) =>
  t.field({
    type: [AccessToken],
    description: "The user's access tokens that have not ended, the newest first.",
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.tokensOf(context, id),
  }),
);

builder.mutationFields((t) => ({
  createAccessToken: t.field({
    ...ignoresIdempotencyKey('its answer has a secret'),
    type: CreateAccessTokenPayload,
    description:
      'Makes an access token for a program. An account has up to 100. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    args: { input: t.arg({ type: CreateAccessTokenInput, required: true, description: 'The token.' }) },
    resolve: (_root, { input }, context) => rules.createToken(context, input),
  }),
  revokeAccessToken: t.id({
    ...ignoresIdempotencyKey('done twice, it has one effect'),
    description: 'Ends an access token of the viewer, with all that is open by it, and answers its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the access token.' }) },
    resolve: (_root, { id }, context) => rules.revokeToken(context, id).then(() => id),
  }),
}));
