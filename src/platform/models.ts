import { type Datamodel, modelsOf } from '@taskgate/nested-read';
import { getDatamodel } from '../generated/pothos.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { entities, type NodeKind, nodeKinds } from './entities.ts';

/** Other than entities. */
const otherTables = {
  Session: 'sessions',
  Preferences: 'preferences',
  Membership: 'memberships',
  Invitation: 'open_invitations',
  TaskTag: 'task_tags',
  TaskAssignee: 'task_assignees',
  TaskMute: 'task_mutes',
  Claim: 'claims',
} as const satisfies Partial<Record<Prisma.ModelName, string>>;

type EntityModel = (typeof entities)[NodeKind]['model'];

const tablesOfEntities = Object.fromEntries(
  nodeKinds.map((kind) => [entities[kind].model, `${entities[kind].model.toLowerCase()}s`]),
) as Record<EntityModel, string>;

/** The models of the GraphQL schema. */
export const models = modelsOf(
  getDatamodel() as unknown as Datamodel,
  { ...tablesOfEntities, ...otherTables },
  { TaskAssignee: 'assigneeIds' },
);

export type ModelName = keyof typeof models;
