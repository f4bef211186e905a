// Printed by `npm run schema`, from the GraphQL schema.

/** How a project shows its tasks. */
export type ViewMode = 'BOARD' | 'CALENDAR' | 'LIST';

/** Colour of a tag. */
export type TagColor = 'BLUE' | 'GREEN' | 'ORANGE' | 'PINK' | 'PURPLE' | 'RED' | 'YELLOW';

/** How much a task matters. */
export type Priority = 'HIGH' | 'LOW' | 'MEDIUM';

/** A group of tasks. It is personal or belongs to a workspace. */
export interface Project {
  readonly __typename: 'Project';
  /** TypeID with the prefix `proj`. */
  readonly id: string;
  /** True only for the inbox. Each user has exactly one. */
  readonly isDefault: boolean;
  /** Display name. */
  readonly name: string;
  /** URL-safe form of the name with a short suffix of the id. It changes with the name. */
  readonly slug: string | null;
  /** How the project shows its tasks. Null if never changed. */
  readonly viewMode: ViewMode | null;
  /** Id of the workspace. Null for a personal project. */
  readonly workspaceId: string | null;
}

/** A part of a project. */
export interface Section {
  readonly __typename: 'Section';
  /** TypeID with the prefix `sect`. */
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** Id of the project. */
  readonly projectId: string;
  /** Position in the project. Sections are sorted by it bytewise. */
  readonly sortKey: string;
}

/** A coloured label on tasks. Only its owner sees it, even on shared tasks. */
export interface Tag {
  readonly __typename: 'Tag';
  /** Colour of the tag. */
  readonly color: TagColor;
  /** TypeID with the prefix `tag`. */
  readonly id: string;
  /** Unique among the owner's tags. */
  readonly name: string;
}

/** Something to be done. A task with a `parent` is a subtask. */
export interface Task {
  readonly __typename: 'Task';
  /** Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
  readonly color: string | null;
  /** Whether it is done. Subtasks are done each by itself. */
  readonly completed: boolean;
  /** When it was completed; null while it is open. */
  readonly completedAt: string | null;
  /** When it was created. */
  readonly createdAt: string;
  /** Plain text, up to 16,384 characters. */
  readonly description: string | null;
  /** The day that it is due. */
  readonly dueDate: string | null;
  /** The moment that it is due; null unless `isAllDay` is false. */
  readonly dueTime: string | null;
  /** TypeID with the prefix `task`. */
  readonly id: string;
  /** Whether it lasts the whole due date. */
  readonly isAllDay: boolean | null;
  /** Id of `parent`. */
  readonly parentId: string | null;
  /** How much it matters. */
  readonly priority: Priority | null;
  /** Id of `project`. */
  readonly projectId: string;
  /** Whether a reminder is wanted. */
  readonly reminder: boolean;
  /** Id of `section`. */
  readonly sectionId: string | null;
  /** Orders the tasks of a project, compared bytewise. */
  readonly sortKey: string;
  /** 1 to 500 characters. */
  readonly title: string;
  /** When a field of it was last changed. */
  readonly updatedAt: string;
  /** The caller's own tags on it, in the order of their ids. */
  readonly tagIds: readonly string[];
}

/** The signed-in user: profile and preferences. Other users are visible only as `Member`. */
export interface User {
  readonly __typename: 'User';
  /** The address that signs in, in lower case. */
  readonly email: string | null;
  /** TypeID with the prefix `user`. */
  readonly id: string;
  /** Absolute URL of the avatar, readable without a session. Null if none was uploaded. */
  readonly image: string | null;
  /** Open invitations to the user's address, newest first. */
  readonly invitations?: readonly Invitation[];
  /** Display name. Null until it is set. */
  readonly name: string | null;
  /** Notification preferences. */
  readonly preferences: Preferences;
}

/** A space that its members share: projects with their sections and tasks. Tags stay private. */
export interface Workspace {
  readonly __typename: 'Workspace';
  /** TypeID with the prefix `wksp`. */
  readonly id: string;
  /** Open invitations, newest first. */
  readonly invitations: readonly Invitation[];
  /** Members, in the order of joining. */
  readonly members: readonly Member[];
  /** Display name. */
  readonly name: string;
}

/** An offer of membership to the owner of an e-mail address, open for 14 days. It shows the name of the workspace and nothing else of it. */
export interface Invitation {
  /** Time of the invitation. */
  readonly createdAt: string;
  /** Invited address, in lower case. */
  readonly email: string;
  /** Expiry time. */
  readonly expiresAt: string;
  /** TypeID with the prefix `invt`. */
  readonly id: string;
  /** The inviter, who may no longer be a member. */
  readonly invitedBy: Member;
  /** Id of the workspace. */
  readonly workspaceId: string;
  /** Display name of the workspace. */
  readonly workspaceName: string;
}

/** Notification settings of a user. */
export interface Preferences {
  /** Whether a new task with a due date has a reminder by default. */
  readonly automaticRemainder: boolean;
  /** Whether a daily mail lists due tasks. */
  readonly dailyDigest: boolean;
  /** Time of day of the digest in `timeZone`, as HH:MM. 08:00 if null. */
  readonly digestTime: string | null;
  /** Whether mails are sent. Codes and notices are always sent. */
  readonly emailEnabled: boolean;
  /** Minutes between the reminder of a task and its due time, 0 to 40,320. */
  readonly reminderBefore: number;
  /** Whether reminders are sent. */
  readonly taskRemainders: boolean;
  /** IANA name of the time zone, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

/** A user as other members of their workspaces see them. */
export interface Member {
  /** The address that signs in, in lower case. */
  readonly email: string | null;
  /** TypeID with the prefix `user`. */
  readonly id: string;
  /** Absolute URL of the avatar, readable without a session. Null if none was uploaded. */
  readonly image: string | null;
  /** Display name. Null until it is set. */
  readonly name: string | null;
}

/** What a replica holds: the service's types, with ids in place of the objects that they refer to. */
export type Entity = Project | Section | Tag | Task | User | Workspace;

/** A new task; only the title is needed. Where `reminder` is absent, a task with a `dueDate` has the `automaticRemainder` of its creator, and any other one false; `dueTime` alone is no due date. */
export interface CreateTaskInput {
  /** Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
  readonly color?: string | null;
  /** Plain text, up to 16,384 characters. */
  readonly description?: string | null;
  /** The day that it is due. */
  readonly dueDate?: string | null;
  /** The moment that it is due; kept where `isAllDay` is false. */
  readonly dueTime?: string | null;
  /** Id of the new object: a TypeID of a UUIDv7 with the prefix task. */
  readonly id?: string;
  /** Whether it lasts the whole due date; true clears `dueTime`. */
  readonly isAllDay?: boolean | null;
  /** Id of the task to make it a subtask of; at most ten levels. */
  readonly parentId?: string | null;
  /** How much it matters. */
  readonly priority?: Priority | null;
  /** Id of the project; absent: the parent's, else the inbox. */
  readonly projectId?: string | null;
  /** Whether a reminder is wanted. */
  readonly reminder?: boolean;
  /** Id of a section of the project; needs `projectId`. */
  readonly sectionId?: string | null;
  /** Ids of the caller's tags, at most 1,000. */
  readonly tagIds?: readonly string[];
  /** 1 to 500 characters after trimming. */
  readonly title: string;
}
/** What to change of a task: an absent field is untouched, null clears it. `title`, `completed`, `reminder` and `sortKey` cannot be null. */
export interface UpdateTaskInput {
  /** Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
  readonly color?: string | null;
  /** Whether it is done; sets or clears `completedAt`. */
  readonly completed?: boolean;
  /** Plain text, up to 16,384 characters. */
  readonly description?: string | null;
  /** The day that it is due. */
  readonly dueDate?: string | null;
  /** The moment that it is due; kept where `isAllDay` is false. */
  readonly dueTime?: string | null;
  /** Whether it lasts the whole due date; true clears `dueTime`. */
  readonly isAllDay?: boolean | null;
  /** Id of the task to be a subtask of; null: a top-level task. */
  readonly parentId?: string | null;
  /** How much it matters. */
  readonly priority?: Priority | null;
  /** Id of the project to move to; null: the inbox. Clears the section. */
  readonly projectId?: string | null;
  /** Whether a reminder is wanted. */
  readonly reminder?: boolean;
  /** Id of a section of the project; null: none. */
  readonly sectionId?: string | null;
  /** 1 to 255 printable ASCII characters; `moveTask` picks a fitting one. */
  readonly sortKey?: string;
  /** Ids of the caller's tags, at most 1,000: replaces the caller's tags on it. */
  readonly tagIds?: readonly string[];
  /** 1 to 500 characters after trimming. */
  readonly title?: string;
}
/** What to change of every task: an absent field is untouched, null clears it. `completed` and `reminder` cannot be null. */
export interface BulkUpdateTasksInput {
  /** Whether it is done; sets or clears `completedAt`. */
  readonly completed?: boolean;
  /** The day that it is due. */
  readonly dueDate?: string | null;
  /** The moment that it is due; kept where `isAllDay` is false. */
  readonly dueTime?: string | null;
  /** Whether it lasts the whole due date; true clears `dueTime`. */
  readonly isAllDay?: boolean | null;
  /** How much it matters. */
  readonly priority?: Priority | null;
  /** Id of the project to move to; null: the inbox. Clears the sections. */
  readonly projectId?: string | null;
  /** Whether a reminder is wanted. */
  readonly reminder?: boolean;
  /** Id of a section of the project; null: none. */
  readonly sectionId?: string | null;
  /** Ids of the caller's tags, at most 1,000: replaces the caller's tags on every task. */
  readonly tagIds?: readonly string[];
}
/** Preferences to change, at least one. Absent ones keep their value. Only `digestTime` can be null. */
export interface UpdatePreferencesInput {
  /** Whether a new task with a due date has a reminder by default. */
  readonly automaticRemainder?: boolean;
  /** Whether a daily mail lists due tasks. */
  readonly dailyDigest?: boolean;
  /** Time of day of the digest in `timeZone`, as HH:MM. 08:00 if null. */
  readonly digestTime?: string | null;
  /** Whether mails are sent. Codes and notices are always sent. */
  readonly emailEnabled?: boolean;
  /** Minutes between the reminder of a task and its due time, 0 to 40,320. */
  readonly reminderBefore?: number;
  /** Whether reminders are sent. */
  readonly taskRemainders?: boolean;
  /** IANA name of the time zone, such as `Europe/Berlin`. */
  readonly timeZone?: string;
}
/** The mutations that a replica makes, with their variables. */
export interface Mutations {
  /** Creates a project. FORBIDDEN if the viewer is not a member of the workspace. */
  createProject: { readonly id?: string; readonly name: string; readonly workspaceId?: string | null };
  /** Creates a section as the last one of its project. */
  createSection: { readonly id?: string; readonly name: string; readonly projectId: string };
  /** Creates a tag. */
  createTag: { readonly color?: TagColor; readonly id?: string; readonly name: string };
  /** Creates a task as the last one of its project. */
  createTask: { readonly input: CreateTaskInput };
  /** Creates a workspace with the viewer as its only member. An account is in up to 100. */
  createWorkspace: { readonly id?: string; readonly name: string };
  /** Deletes a project with its sections and tasks. Returns its id. FORBIDDEN for the inbox. */
  deleteProject: { readonly id: string };
  /** Deletes a section. Returns its id. Its tasks stay in the project, without a section. */
  deleteSection: { readonly id: string };
  /** Deletes tags and takes them off all tasks. Ignores other ids. */
  deleteTags: { readonly ids: readonly string[] };
  /** Deletes a task with its subtasks; gives its id. */
  deleteTask: { readonly id: string };
  /** Deletes many tasks with their subtasks; ids of none that the caller may see are passed over. */
  deleteTasks: { readonly ids: readonly string[] };
  /** Deletes a workspace with its contents. Returns its id. FORBIDDEN while there are other members. */
  deleteWorkspace: { readonly id: string };
  /** Ends the viewer's membership and takes their tags off the tasks. Returns the workspace's id. FORBIDDEN for the last member, who can delete the workspace instead. */
  leaveWorkspace: { readonly id: string };
  /** Moves a task next to a sibling; the service picks the sort key. At least one of the two is needed. */
  moveTask: { readonly after?: string | null; readonly before?: string | null; readonly id: string };
  /** Restores entries of the trash, each with the entities that were deleted with it. */
  restore: { readonly ids: readonly string[] };
  /** Undoes an operation of any member, except the parts that were changed again. The undo is an operation, which can be undone in turn. */
  undo: { readonly operationId: string };
  /** Changes notification preferences. */
  updatePreferences: { readonly input: UpdatePreferencesInput };
  /** Changes a project. An absent or null field keeps its value. At least one field is required. */
  updateProject: { readonly id: string; readonly name?: string; readonly viewMode?: ViewMode };
  /** Renames or moves a section. Absent arguments and a null name change nothing. If both `prevIndex` and `nextIndex` are set, the first must come before the second. */
  updateSection: {
    readonly id: string;
    readonly name?: string;
    readonly nextIndex?: string | null;
    readonly prevIndex?: string | null;
    readonly projectId?: string | null;
  };
  /** Changes a tag. An absent or null field keeps its value. At least one field is required. */
  updateTag: { readonly color?: TagColor; readonly id: string; readonly name?: string };
  /** Changes a task; with a new project, section or parent its subtasks move along. */
  updateTask: { readonly id: string; readonly input: UpdateTaskInput };
  /** Changes many tasks alike; ids of none that the caller may see are passed over. */
  updateTasks: { readonly ids: readonly string[]; readonly input: BulkUpdateTasksInput };
  /** Renames a workspace. Any member may rename it. */
  updateWorkspace: { readonly id: string; readonly name: string };
}
