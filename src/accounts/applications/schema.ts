import { builder } from '../../graphql/builder.ts';
import { type AccessToken, revokeApplication, tokensOf } from '../tokens/rules.ts';
import { TokenScope } from '../tokens/schema.ts';
import type { ApplicationRequest as Request } from './requests.ts';
import * as rules from './rules.ts';

const spaceIds =
  "Spaces that the application can access: the user's id for the personal space, and ids of workspaces. Null for all current and future spaces.";

const Application = builder.objectRef<AccessToken>('Application').implement({
  description: 'The grant of an account to an application, by OAuth. See docs/programs.md.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID with the prefix `appl`.' }),
    name: t.exposeString('name', { description: 'Name that the application chose. It is not verified.' }),
    redirectHost: t.exposeString('redirectHost', {
      description: "Host that the browser went to after the consent, or an application's own scheme.",
    }),
    scopes: t.expose('scopes', {
      type: [TokenScope],
      extensions: { listSize: 2 },
      description: 'Permissions of its tokens.',
    }),
    spaceIds: t.exposeIDList('spaceIds', { extensions: { listSize: 10 }, nullable: true, description: spaceIds }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the consent.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when it last got a token, which works for an hour. Null if it has never got one.',
    }),
  }),
});

const ApplicationRequest = builder.objectRef<Request>('ApplicationRequest').implement({
  description: 'What an application asks for at `/oauth/authorize`.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name that the application chose. It is not verified.' }),
    redirectHost: t.exposeString('redirectHost', {
      description: "Host that the browser goes to next, or an application's own scheme.",
    }),
    isLocal: t.exposeBoolean('isLocal', {
      description: "Whether the browser goes to a program on the user's computer, which any program there may be.",
    }),
    scopes: t.expose('scopes', {
      type: [TokenScope],
      extensions: { listSize: 2 },
      description: 'Permissions that it asks for.',
    }),
    redirectTo: t.exposeString('redirectTo', {
      nullable: true,
      description: 'URL for the browser, at once, if the request has a fault. Else null.',
    }),
    cancelTo: t.exposeString('cancelTo', { description: 'URL for the browser if the user refuses.' }),
  }),
});

builder.prismaObjectField('User', 'applications', (t) =>
  t.field({
    type: [Application],
    extensions: { listSize: 5 },
    description: 'Applications that the user has allowed, newest first. FORBIDDEN for access tokens.',
    select: { id: true },
    resolve: ({ id }, _args, context) => tokensOf(context, id, 'application'),
  }),
);

const query = 'Query string of `/oauth/authorize`, as it came.';

builder.queryField('applicationRequest', (t) =>
  t.field({
    type: ApplicationRequest,
    description:
      'Explains the request of an application. VALIDATION_FAILED if its client or its redirect URI is unknown: do not redirect then. FORBIDDEN for access tokens.',
    args: { query: t.arg.string({ required: true, description: query }) },
    resolve: (_root, args, context) => rules.requestOf(context, args.query),
  }),
);

builder.mutationFields((t) => ({
  allowApplication: t.string({
    extensions: { ignoresIdempotencyKey: 'its response has a secret' },
    description:
      'Lets an application in, and returns the URL for the browser. An account has up to 100. REAUTHENTICATION_REQUIRED more than ten minutes after the sign-in.',
    args: {
      query: t.arg.string({ required: true, description: query }),
      scopes: t.arg({ type: [TokenScope], required: true, description: 'Permissions, among those it asks for.' }),
      spaceIds: t.arg.idList({
        description:
          "Spaces that it can access: the viewer's id for the personal space, and ids of workspaces. Absent for all current and future spaces.",
      }),
    },
    resolve: (_root, args, context) => rules.allowApplication(context, args),
  }),
  revokeApplication: t.id({
    extensions: { ignoresIdempotencyKey: 'repeating it has no further effect' },
    description: 'Ends an application with its tokens, open connections and webhooks. Returns its id.',
    args: { id: t.arg.id({ required: true, description: 'Id of the application.' }) },
    resolve: (_root, { id }, context) => revokeApplication(context, id).then(() => id),
  }),
}));
