// Printed by `npm run schema`, from the GraphQL schema.

/** How a project shows its tasks. */
export type ViewMode = 'BOARD' | 'CALENDAR' | 'LIST';

/** Colour of a tag. */
export type TagColor = 'BLUE' | 'GREEN' | 'ORANGE' | 'PINK' | 'PURPLE' | 'RED' | 'YELLOW';

/** Priority of a task. */
export type Priority = 'HIGH' | 'LOW' | 'MEDIUM';

/** What a member may do in a workspace. VIEWER, COMMENTER, EDITOR, ADMIN: each role has the rights of those before it. */
export type WorkspaceRole = 'ADMIN' | 'COMMENTER' | 'EDITOR' | 'VIEWER';

/** What the next date of a series follows from. */
export type RecurrenceBasis = 'COMPLETION' | 'EACH' | 'SCHEDULE';

/** Which mails about tasks a user gets. */
export type ActivityMails = 'ALL' | 'DIRECT' | 'NONE';

/** A comment on a task. Everybody who sees the task sees it. */
export interface Comment {
  readonly __typename: 'Comment';
  /** The author, who may have left the workspace. Null if the account was deleted. */
  readonly author: Member | null;
  /** Id of `author`. */
  readonly authorId: string | null;
  /** Creation time. */
  readonly createdAt: string;
  /** Time of the last change of its text. Null if never edited. */
  readonly editedAt: string | null;
  /** TypeID with the prefix `cmnt`. */
  readonly id: string;
  /** Id of `task`. */
  readonly taskId: string;
  /** Plain text, 1 to 16,384 characters. `@` and the id of a member of the space mention that member, such as `@user_01k8m3f5s8e5bb9g0q2v7x4c6d`. */
  readonly text: string;
}

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

/** A task. With a `parent`, it is a subtask. */
export interface Task {
  readonly __typename: 'Task';
  /** Ids of `assignees`. */
  readonly assigneeIds: readonly string[];
  /** The claim on the task. Null: it is nobody's. */
  readonly claim: Claim | null;
  /** Hex colour: #RGB, #RRGGBB or #RRGGBBAA. */
  readonly color: string | null;
  /** Whether the task is done. Its subtasks have their own state. */
  readonly completed: boolean;
  /** Completion time. Null if the task is open. */
  readonly completedAt: string | null;
  /** Creation time. */
  readonly createdAt: string;
  /** Id of the user who created the task. Null if the user is not known. */
  readonly createdById: string | null;
  /** Plain text, up to 16,384 characters. */
  readonly description: string | null;
  /** Due date. */
  readonly dueDate: string | null;
  /** Due time. Null unless `isAllDay` is false. */
  readonly dueTime: string | null;
  /** TypeID with the prefix `task`. */
  readonly id: string;
  /** Whether the task takes the whole due date. */
  readonly isAllDay: boolean | null;
  /** Id of `parent`. */
  readonly parentId: string | null;
  /** Priority. Null if none is set. */
  readonly priority: Priority | null;
  /** Id of `project`. */
  readonly projectId: string;
  /** How the task repeats. Null: it does not. */
  readonly recurrence: Recurrence | null;
  /** Whether the task has a reminder. */
  readonly reminder: boolean;
  /** Id of `section`. */
  readonly sectionId: string | null;
  /** Position of the task in its project, compared bytewise. */
  readonly sortKey: string;
  /** 1 to 500 characters. */
  readonly title: string;
  /** Time of the last change to one of its fields. */
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
  /** Number of tasks with unread events. */
  readonly unreadNotifications: number;
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
  /** The members with their roles, in the order of joining. */
  readonly memberships: readonly Membership[];
  /** Display name. */
  readonly name: string;
  /** The viewer's own role. */
  readonly role: WorkspaceRole;
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

/** Says who works on a task, until the claim ends. See docs/programs.md. */
export interface Claim {
  /** Device of the session, or name of the access token, that claimed the task. */
  readonly client: string | null;
  /** A number, larger for each later claim. Writes name it to depend on the claim. */
  readonly fence: string;
  /** Who claimed the task. */
  readonly holder: Member;
  /** Time of the claim. */
  readonly since: string;
}

/** How a task repeats. Each occurrence of the series is a task. */
export interface Recurrence {
  /** What the next date of a series follows from. */
  readonly basis: RecurrenceBasis;
  /** The occurrence's date in the series (RECURRENCE-ID), even if its due date was moved. */
  readonly date: string;
  /** Position of `date` among the dates of the series, from 1. */
  readonly number: number;
  /** RRULE value (RFC 5545, 3.3.10) in its canonical form. */
  readonly rule: string;
  /** TypeID with the prefix `seri`. All occurrences of the series have it. Null in a preview. */
  readonly seriesId: string | null;
  /** Day from which the rule counts (DTSTART). */
  readonly start: string;
  /** The recurrence in words, such as `Every week on Monday and Thursday`. */
  readonly summary: string;
  /** Local time of the series: HH:MM, or HH:MM:SS if it has seconds. Null: all day. */
  readonly time: string | null;
  /** IANA name of the time zone. All days and times of the series are local to it, for every viewer. */
  readonly timeZone: string;
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
  /** Role of the new member. */
  readonly role: WorkspaceRole;
  /** Id of the workspace. */
  readonly workspaceId: string;
  /** Display name of the workspace. */
  readonly workspaceName: string;
}

/** Notification settings of a user. */
export interface Preferences {
  /** Which mails about unread notifications are sent. */
  readonly activityMails: ActivityMails;
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

/** The membership of a user in a workspace. */
export interface Membership {
  /** The member. */
  readonly member: Member;
  /** Role of the member. */
  readonly role: WorkspaceRole;
}

/** An entity of a replica: the service's type, with ids instead of objects. */
export type Entity = Comment | Project | Section | Tag | Task | User | Workspace;
