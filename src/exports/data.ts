import { columnName, type CompiledSelection } from '@taskgate/nested-read';
import { streamInSnapshot } from '@taskgate/postgres';
import { ResponseBudget } from '@taskgate/work';
import { models } from '../platform/models.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { type Context, signedIn, type Viewer } from '../platform/context.ts';
import { entities, type SyncedKind, syncedKinds } from '../platform/entities.ts';
import type { Field, Fields } from '../platform/fields.ts';
import { memberFields } from '../platform/member-fields.ts';
import { isInSpacesOf } from '../platform/policy.ts';
import { passkeyFields, preferencesFields, sessionFields, userFields } from '../accounts/fields.ts';
import { invitationFields } from '../workspaces/fields.ts';
import { allTasks } from '../tasks/rules.ts';
import { webhookFields } from '../webhooks/fields.ts';

const { sql, join, raw, empty } = Prisma;

const sqlTimestamp = (column: string) => raw(`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`);

/** A description has up to 64 KiB. */
const batchSize = 100;

export const exportedAs = (kind: SyncedKind): string => (kind === 'Task' ? 'todos' : entities[kind].sync.list);

export type ExportedKinds = Readonly<Record<Exclude<SyncedKind, 'Task'>, { shown: { fields: Fields } }>>;

/** The first batch is `account`, with one row, or none if the account is gone. */
export type ExportBatch<Todo> =
  | { part: string; todos: Todo[]; rows?: undefined }
  // Only `account` has a `version`.
  | { part: string; rows: { record: unknown; version?: string }[] };

function version(viewer: Viewer): Prisma.Sql {
  const lists = Object.values(accountLists).map(
    (list) => sql`(SELECT string_agg(record::text, ',') FROM (${list(viewer)}) AS listed)`,
  );
  return sql`md5(concat(${join(lists)}))`;
}

const account = (viewer: Viewer, publicUrl: string) => sql`
  SELECT
    json_build_object(
      'user', json_build_object(${restFields(userFields, {
        image: image(publicUrl),
        isPasswordSet: sql`password_hash IS NOT NULL`,
        isOAuthLinked: sql`provider IS NOT NULL`,
      })}),
      'preferences', (SELECT json_build_object(${restFields(preferencesFields)}) FROM preferences WHERE user_id = users.id)
    ) AS record,
    ${version(viewer)} AS version
  FROM users WHERE id = ${viewer.id}`;

/** @param computed expressions of the fields that are no columns */
function restFields(fields: Fields, computed: Record<string, Prisma.Sql> = {}): Prisma.Sql {
  const shown = Object.entries<Field>(fields).flatMap(([name, { type, rest }]) => {
    if (rest === false) return [];
    const column = columnName(name);
    const isEnum = typeof type === 'object' && 'values' in type;
    const isMoment = type === 'timestamp';
    const value = isMoment ? sqlTimestamp(column) : raw(isEnum ? `lower(${column}::text)` : column);
    return [sql`${raw(`'${rest?.name ?? name}'`)}, ${computed[name] ?? value}`];
  });
  return join(shown);
}

const accountLists = {
  sessions: (viewer) => sql`
    SELECT json_build_object(${restFields(sessionFields, { current: sql`sid = ${viewer.sessionId}` })}) AS record
    FROM sessions WHERE user_id = ${viewer.id} AND expire > now() ORDER BY created_at, id`,
  accessTokens: (viewer) => sql`
    SELECT json_build_object(
      'id', id, 'name', name, 'scopes', scopes, 'spaceIds', space_ids, 'createdAt', ${sqlTimestamp('created_at')},
      'expiresAt', ${sqlTimestamp('expires_at')}, 'lastUsedAt', ${sqlTimestamp('last_used_at')}
    ) AS record
    FROM access_tokens WHERE user_id = ${viewer.id} AND kind = 'token' AND grant_id IS NULL
      AND coalesce(expires_at, 'infinity') > now() ORDER BY created_at, id`,
  applications: (viewer) => sql`
    SELECT json_build_object(
      'id', id, 'name', name, 'redirectHost', redirect_host, 'scopes', scopes, 'spaceIds', space_ids,
      'createdAt', ${sqlTimestamp('created_at')}, 'lastUsedAt', ${sqlTimestamp('last_used_at')}
    ) AS record
    FROM access_tokens WHERE user_id = ${viewer.id} AND kind = 'application' AND expires_at > now() ORDER BY created_at, id`,
  webhooks: (viewer) => sql`
    SELECT json_build_object(${restFields(webhookFields, {
      createdAt: sqlTimestamp('at'),
      deliveredAt: sqlTimestamp('sent_at'),
      client: sql`(SELECT name FROM access_tokens WHERE id = token_id)`,
    })}, 'kinds', lower(kinds::text)::text[], 'fields', fields, 'spaceIds', space_ids) AS record
    FROM webhooks WHERE user_id = ${viewer.id} ORDER BY at, id`,
  passkeys: ({ id }) => sql`
    SELECT json_build_object(${restFields(passkeyFields)}) AS record FROM passkeys WHERE user_id = ${id} ORDER BY created_at, id`,
  providers: ({ id }) => sql`
    SELECT json_build_object('name', provider, 'linkedAt', ${sqlTimestamp('linked_at')}) AS record
    FROM provider_links WHERE user_id = ${id} ORDER BY linked_at, provider`,
  invitations: (viewer) => sql`
    SELECT json_build_object(${restFields(invitationFields)}) AS record FROM (
      SELECT invitation.*, space_id AS workspace_id, spaces.name AS workspace_name
      FROM open_invitations AS invitation JOIN users ON users.email = invitation.email JOIN spaces ON spaces.id = space_id
      WHERE users.id = ${viewer.id}
    ) AS invitation ORDER BY created_at, id`,
} satisfies Record<string, (viewer: Viewer) => Prisma.Sql>;

const projectExtras = (viewer: Viewer) => sql`,
  'taskDisplayPreferences', CASE WHEN view_mode IS NOT NULL THEN json_build_object('viewMode', lower(view_mode::text)) END,
  'workspaceId', nullif(space_id, ${viewer.id})`;

const createdAt: Field = { type: 'timestamp', nullable: false, description: 'Creation time.' };

const orders: Partial<Record<SyncedKind, string>> = { Section: 'project_id, sort_key, id', Tag: 'name, id' };

const ownRole = (viewer: Viewer) => sql`,
  'role', (SELECT lower(role::text) FROM memberships WHERE space_id = spaces.id AND user_id = ${viewer.id})`;

const image = (publicUrl: string) => sql`${`${publicUrl}/avatars/`}::text || avatar`;

const author = (publicUrl: string) => sql`,
  'author', (SELECT json_build_object(${restFields(memberFields, { image: image(publicUrl) })}) FROM users WHERE users.id = author_id)`;

const rowsOfKind = (viewer: Viewer, kind: keyof ExportedKinds, fields: Fields, publicUrl: string) => sql`
  SELECT json_build_object(
    ${restFields({ ...fields, createdAt }, { personal: sql`space_id = ${viewer.id}` })}
    ${kind === 'Project' ? projectExtras(viewer) : empty}
    ${kind === 'Workspace' ? ownRole(viewer) : empty}
    ${kind === 'Comment' ? author(publicUrl) : empty}
  ) AS record
  FROM ${raw(models[entities[kind].model].table)} WHERE ${isInSpacesOf(viewer, columnName(entities[kind].space))}
    ${kind === 'Workspace' ? sql`AND kind = 'WORKSPACE'` : empty}
  ORDER BY ${raw(orders[kind] ?? 'created_at, id')}`;

export const exportedLists: readonly string[] = [...Object.keys(accountLists), ...syncedKinds.map(exportedAs)];

/** Reads from one snapshot: the account first, then the lists in order. */
export async function* readExport<Todo>(
  context: Context,
  todo: CompiledSelection<Todo>,
  kinds: ExportedKinds,
): AsyncGenerator<ExportBatch<Todo>, void> {
  const viewer = signedIn(context);
  const todos = allTasks(context, todo);
  const statements = [
    account(viewer, context.publicUrl),
    ...Object.values(accountLists).map((statement) => statement(viewer)),
    ...syncedKinds.map((kind) =>
      kind === 'Task' ? todos.statement : rowsOfKind(viewer, kind, kinds[kind].shown.fields, context.publicUrl),
    ),
  ];
  const parts = ['account', ...exportedLists];
  type Row = { record: unknown; version?: string };
  const budget = new ResponseBudget(undefined, viewer.signal, { owner: viewer.id, requiredState: viewer });
  const snapshot = streamInSnapshot<Row>(
    viewer.connections,
    statements,
    () => batchSize,
    budget,
    sql`SELECT ${version(viewer)}`,
  );
  for await (const { statement, rows } of snapshot) {
    const part = parts[statement] ?? '';
    if (part === 'todos') yield { part, todos: rows.map(({ record }) => todos.parse(String(record))) };
    else yield { part, rows };
  }
}
