// Printed by `npm run schema`, from the GraphQL schema.

import type { ViewMode, TagColor, Priority, RecurrenceBasis, ActivityMails } from './types.ts';

/** A new task. Only the title is required. Without `reminder`, a task with a `dueDate` gets the `automaticRemainder` of its creator, and any other task gets false. `dueTime` alone does not count as a due date. */
export interface CreateTaskInput {
  /** Ids of members of the task's space, at most ten. */
  readonly assigneeIds?: readonly string[];
  /** Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
  readonly color?: string | null;
  /** Plain text, up to 16,384 characters. */
  readonly description?: string | null;
  /** Due date. */
  readonly dueDate?: string | null;
  /** Due time. Stored only if `isAllDay` is false. */
  readonly dueTime?: string | null;
  /** Id of the new object: a TypeID of a UUIDv7 with the prefix task. */
  readonly id?: string;
  /** Whether the task takes the whole due date. True clears `dueTime`. */
  readonly isAllDay?: boolean | null;
  /** Id of the parent task. A tree has at most ten levels. */
  readonly parentId?: string | null;
  /** Priority. Null if none is set. */
  readonly priority?: Priority | null;
  /** Id of the project. By default the parent's project, or the inbox without a parent. */
  readonly projectId?: string | null;
  /** How the task repeats. */
  readonly recurrence?: RecurrenceInput | null;
  /** Whether the task has a reminder. */
  readonly reminder?: boolean;
  /** Id of a section of the project. Requires `projectId`. */
  readonly sectionId?: string | null;
  /** Ids of the caller's tags, at most 1,000. */
  readonly tagIds?: readonly string[];
  /** 1 to 500 characters after trimming. */
  readonly title: string;
}
/** Changes to a task. An absent field stays unchanged, and null clears it. `title`, `completed`, `reminder` and `sortKey` cannot be null. */
export interface UpdateTaskInput {
  /** Ids of members to assign in addition. Concurrent additions and removals add up. Excludes `assigneeIds`. */
  readonly addAssigneeIds?: readonly string[];
  /** Ids of members of the task's space, at most ten. Replaces the assignees. Null for nobody. */
  readonly assigneeIds?: readonly string[];
  /** Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
  readonly color?: string | null;
  /** Whether the task is done. Sets or clears `completedAt`. */
  readonly completed?: boolean;
  /** Day of the completion, local to the series, if it is not today. A series with the basis COMPLETION counts from it. It changes nothing else. */
  readonly completedOn?: string;
  /** Plain text, up to 16,384 characters. */
  readonly description?: string | null;
  /** Due date. */
  readonly dueDate?: string | null;
  /** Due time. Stored only if `isAllDay` is false. */
  readonly dueTime?: string | null;
  /** Whether the task takes the whole due date. True clears `dueTime`. */
  readonly isAllDay?: boolean | null;
  /** Id of the new parent task. Null for a top-level task. */
  readonly parentId?: string | null;
  /** Priority. Null if none is set. */
  readonly priority?: Priority | null;
  /** Id of the new project. Null for the inbox. Clears the section. */
  readonly projectId?: string | null;
  /** How the task repeats. With a new due date or time, this and all later occurrences move. Null ends the series. */
  readonly recurrence?: RecurrenceInput | null;
  /** Whether the task has a reminder. */
  readonly reminder?: boolean;
  /** Ids of users to remove from the assignees. Ignores others. Excludes `assigneeIds`. */
  readonly removeAssigneeIds?: readonly string[];
  /** Id of a section of the project. Null for no section. */
  readonly sectionId?: string | null;
  /** 1 to 255 printable ASCII characters. `moveTask` picks a suitable key. */
  readonly sortKey?: string;
  /** Ids of the caller's tags, at most 1,000. Replaces the caller's tags on the task. */
  readonly tagIds?: readonly string[];
  /** 1 to 500 characters after trimming. */
  readonly title?: string;
}
/** Changes to every listed task. An absent field stays unchanged, and null clears it. `completed` and `reminder` cannot be null. */
export interface BulkUpdateTasksInput {
  /** Ids of members to assign in addition. Concurrent additions and removals add up. Excludes `assigneeIds`. */
  readonly addAssigneeIds?: readonly string[];
  /** Ids of members of the spaces of all tasks, at most ten. Replaces the assignees of every task. Null for nobody. */
  readonly assigneeIds?: readonly string[];
  /** Whether the task is done. Sets or clears `completedAt`. */
  readonly completed?: boolean;
  /** Day of the completion, local to the series, if it is not today. A series with the basis COMPLETION counts from it. It changes nothing else. */
  readonly completedOn?: string;
  /** Due date. */
  readonly dueDate?: string | null;
  /** Due time. Stored only if `isAllDay` is false. */
  readonly dueTime?: string | null;
  /** Whether the task takes the whole due date. True clears `dueTime`. */
  readonly isAllDay?: boolean | null;
  /** Priority. Null if none is set. */
  readonly priority?: Priority | null;
  /** Id of the new project. Null for the inbox. Clears the sections. */
  readonly projectId?: string | null;
  /** Whether the task has a reminder. */
  readonly reminder?: boolean;
  /** Ids of users to remove from the assignees. Ignores others. Excludes `assigneeIds`. */
  readonly removeAssigneeIds?: readonly string[];
  /** Id of a section of the project. Null for no section. */
  readonly sectionId?: string | null;
  /** Ids of the caller's tags, at most 1,000. Replaces the caller's tags on every task. */
  readonly tagIds?: readonly string[];
}
/** How a task repeats. An absent `basis` or `timeZone` keeps its value. */
export interface RecurrenceInput {
  /** What the next date of a series follows from. In a new series: SCHEDULE. */
  readonly basis?: RecurrenceBasis;
  /** RRULE value (RFC 5545, 3.3.10) of up to 500 characters, which repeats by days: FREQ=DAILY to YEARLY. `RRULE:` before it and lower case are accepted. */
  readonly rule: string;
  /** Day from which the rule counts, at most 20 years before the due date. By default the due date. */
  readonly start?: string;
  /** IANA name. In a new series: the time zone of the caller's preferences. */
  readonly timeZone?: string;
}
/** Preferences to change, at least one. Absent ones keep their value. Only `digestTime` can be null. */
export interface UpdatePreferencesInput {
  /** Which mails about unread notifications are sent. */
  readonly activityMails?: ActivityMails;
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
/** Mutations that a replica sends, with their variables. */
export interface Mutations {
  /** Comments on a task. A task has up to 10,000 comments. */
  createComment: { readonly id?: string; readonly taskId: string; readonly text: string };
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
  /** Deletes a comment, and returns its id. Its author may, and an administrator of the workspace. */
  deleteComment: { readonly id: string };
  /** Deletes a project with its sections and tasks. Returns its id. FORBIDDEN for the inbox. */
  deleteProject: { readonly id: string };
  /** Deletes a section. Returns its id. Its tasks stay in the project, without a section. */
  deleteSection: { readonly id: string };
  /** Deletes tags and takes them off all tasks. Ignores other ids. */
  deleteTags: { readonly ids: readonly string[] };
  /** Deletes a task with its subtasks, and returns its id. */
  deleteTask: { readonly id: string };
  /** Deletes many tasks with their subtasks. Skips ids of tasks that the caller cannot see. */
  deleteTasks: { readonly ids: readonly string[] };
  /** Deletes a workspace with its contents. Returns its id. FORBIDDEN while there are other members. */
  deleteWorkspace: { readonly id: string };
  /** Ends the viewer's membership and takes their tags off the tasks. Returns the workspace's id. FORBIDDEN for the last ADMIN, who can give another member this role, or as the last member delete the workspace. */
  leaveWorkspace: { readonly id: string };
  /** Moves a task next to a sibling, and picks its sort key. Requires `after` or `before`. */
  moveTask: { readonly after?: string | null; readonly before?: string | null; readonly id: string };
  /** Restores entries of the trash, each with the entities that were deleted with it. */
  restore: { readonly ids: readonly string[] };
  /** Moves an open occurrence, with its subtasks, to the next date of its series. Refused if there is no later date. */
  skipOccurrence: { readonly id: string };
  /** Undoes an operation of any member, except the parts that were changed again. The undo is an operation, which can be undone in turn. */
  undo: { readonly operationId: string };
  /** Changes the text of a comment. Only its author may. */
  updateComment: { readonly id: string; readonly text: string };
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
  /** Changes a task. Its subtasks move with it to a new project, section or parent. */
  updateTask: { readonly id: string; readonly input: UpdateTaskInput };
  /** Makes the same changes to many tasks. Skips ids of tasks that the caller cannot see. */
  updateTasks: { readonly ids: readonly string[]; readonly input: BulkUpdateTasksInput };
  /** Renames a workspace. Needs the role ADMIN. */
  updateWorkspace: { readonly id: string; readonly name: string };
}
