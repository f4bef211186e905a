/** What a replica holds: the service's types, with ids in place of the objects that they refer to. */
export type Entity = User | Workspace | Project | Section | Tag | Task;

export type Priority = 'HIGH' | 'MEDIUM' | 'LOW';
export type TagColor = 'BLUE' | 'RED' | 'GREEN' | 'YELLOW' | 'PURPLE' | 'ORANGE' | 'PINK';
export type ViewMode = 'LIST' | 'BOARD' | 'CALENDAR';

/** The caller. */
export interface User {
  readonly __typename: 'User';
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
  readonly image: string | null;
  readonly preferences: {
    readonly emailEnabled: boolean;
    /** Minutes before the due time. */
    readonly reminderBefore: number;
    readonly taskRemainders: boolean;
    readonly automaticRemainder: boolean;
    readonly dailyDigest: boolean;
    /** `HH:MM`. */
    readonly digestTime: string | null;
    /** IANA name. */
    readonly timeZone: string;
  };
}

export interface Workspace {
  readonly __typename: 'Workspace';
  readonly id: string;
  readonly name: string;
  readonly members: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly email: string | null;
    readonly image: string | null;
  }[];
}

export interface Project {
  readonly __typename: 'Project';
  readonly id: string;
  readonly name: string;
  /** Null until the service has made it. */
  readonly slug: string | null;
  /** Whether it is the inbox. */
  readonly isDefault: boolean;
  readonly viewMode: ViewMode | null;
  /** Null: a personal one. */
  readonly workspaceId: string | null;
}

export interface Section {
  readonly __typename: 'Section';
  readonly id: string;
  readonly name: string;
  readonly sortKey: string;
  readonly projectId: string;
}

export interface Tag {
  readonly __typename: 'Tag';
  readonly id: string;
  readonly name: string;
  readonly color: TagColor;
}

/** Moments are ISO 8601 in UTC, days `YYYY-MM-DD`. */
export interface Task {
  readonly __typename: 'Task';
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly priority: Priority | null;
  readonly dueDate: string | null;
  readonly dueTime: string | null;
  readonly isAllDay: boolean | null;
  readonly completed: boolean;
  readonly completedAt: string | null;
  readonly color: string | null;
  readonly sortKey: string;
  readonly reminder: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly parentId: string | null;
  readonly projectId: string;
  readonly sectionId: string | null;
  /** The caller's own tags on it, in the order of their ids. */
  readonly tagIds: readonly string[];
}

/** Ids of what an entity belongs to, or carries. */
export function referencesOf(entity: Entity): readonly string[] {
  switch (entity.__typename) {
    case 'Task':
      return [entity.projectId, entity.sectionId, entity.parentId, ...entity.tagIds].filter((id) => id !== null);
    case 'Section':
      return [entity.projectId];
    case 'Project':
      return entity.workspaceId === null ? [] : [entity.workspaceId];
    default:
      return [];
  }
}

/** Whether two values of JSON say the same. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [fields, others] = [Object.entries(a), b as Record<string, unknown>];
  return fields.length === Object.keys(b).length && fields.every(([name, value]) => isSame(value, others[name]));
}
