import type { MutationName, Priority, RecurrenceInput, TagColor, ViewMode, WorkspaceRole } from 'taskgate-client';
import { summaryOf } from 'taskgate-client';
import { shorten } from './characters.ts';

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
const tasksOf = (number: number) => count(number, 'task', 'tasks');
const quote = (text: string) => `“${shorten(text, 60)}”`;

const priorities: Readonly<Record<Priority, string>> = { HIGH: 'High', MEDIUM: 'Medium', LOW: 'Low' };
const views: Readonly<Record<ViewMode, string>> = { LIST: 'List', BOARD: 'Board', CALENDAR: 'Calendar' };
const colors: Readonly<Record<TagColor, string>> = {
  BLUE: 'Blue',
  GREEN: 'Green',
  ORANGE: 'Orange',
  PINK: 'Pink',
  PURPLE: 'Purple',
  RED: 'Red',
  YELLOW: 'Yellow',
};

const verbs = {
  create: ['create', 'created'],
  update: ['change', 'changed'],
  move: ['move', 'moved'],
  delete: ['delete', 'deleted'],
  leave: ['leave', 'left'],
} as const satisfies Record<string, Phrases>;

type Phrases = readonly [toDo: string, done: string];
type Verb = keyof typeof verbs;
type Regular = `${Verb}${string}`;

/** Irregular phrases, and better ones for some mutations. */
const phrases: Readonly<Record<Exclude<MutationName, Regular>, Phrases> & Partial<Record<MutationName, Phrases>>> = {
  createTask: ['add the task', 'Task added'],
  deleteTags: ['delete the tag', 'Tag deleted'],
  updatePreferences: ['save the preferences', 'Saved'],
  undo: ['undo the change', 'Undone'],
  restore: ['restore it', 'Restored'],
  skipOccurrence: ['skip the date', 'Date skipped'],
};

/** `createTag` gives "create the tag" and "Tag created". */
function phrasesOf(name: MutationName): Phrases {
  const special = phrases[name];
  if (special) return special;
  const [verb = '', noun = ''] = name.split(/(?=[A-Z])/);
  const [toDo, done] = verbs[verb as Verb];
  return [`${toDo} the ${noun.toLowerCase()}`, `${noun} ${done}`];
}

/** Messages by error code. */
const problems: Readonly<Record<string, string>> = {
  NETWORK_ERROR: 'Cannot reach the service. Check your connection and try again.',
  UNAVAILABLE: 'The service is busy. Try again in a moment.',
  RATE_LIMITED: 'Too many attempts. Try again later.',
  NOT_FOUND: 'This no longer exists.',
  FORBIDDEN: 'You do not have permission to do that.',
  INTERNAL: 'Something went wrong on the server. Try again later.',
  REAUTHENTICATION_REQUIRED: 'This needs a sign-in from the last ten minutes. Sign out and sign in again first.',
  STORAGE_FAILED: 'The browser has no storage space left.',
};

const providerProblems: Readonly<Record<string, string>> = {
  ACCOUNT_EXISTS: 'This address already has an account. Sign in as before, then link the provider in the settings.',
  EMAIL_NOT_VERIFIED: 'The provider did not confirm your e-mail address.',
  ALREADY_LINKED: 'This sign-in is already linked to another account.',
  PROVIDER_DENIED: 'The provider refused the sign-in.',
  PROVIDER_UNAVAILABLE: 'Cannot reach the provider. Try again later.',
  INVALID_STATE: 'The sign-in took too long. Try again.',
};

const keys: readonly (readonly [keys: readonly string[], text: string])[] = [
  [['q'], 'Add a task'],
  [['Shift', 'Enter'], 'Add the task and start the next one'],
  [['/'], 'Search'],
  [['j'], 'Next task'],
  [['k'], 'Previous task'],
  [['Enter'], 'Open details'],
  [['e'], 'Edit the title'],
  [['c'], 'Complete or reopen'],
  [['1', '2', '3', '4'], 'Priority high, medium, low, none'],
  [['d'], 'Due date'],
  [['x'], 'Select'],
  [['Space'], 'Lift a task: arrows move it, Space drops it, Escape puts it back'],
  [['Ctrl', 'Z'], 'Undo'],
  [['g', 't'], 'Go to Today'],
  [['g', 'u'], 'Go to Upcoming'],
  [['g', 'i'], 'Go to Inbox'],
  [['g', 'm'], 'Go to My tasks'],
  [['?'], 'These shortcuts'],
];

/** All texts of the console. */
export const texts = {
  ...{ priorities, views, colors, problems, providerProblems, keys },
  /** For a refusal: "create the tag". */
  toDo: (name: MutationName) => phrasesOf(name)[0],
  /** For a notice: "Tag created". */
  done: (name: MutationName) => phrasesOf(name)[1],
  name: 'Taskgate',
  opening: 'Opening…',
  cannotOpen: 'Taskgate cannot open in this browser. Allow this site to store data, or use another browser.',
  notLoaded: 'Could not load this page. Check your connection and try again.',
  tryAgain: 'Try again',
  unknownProblem: 'Something went wrong. Try again.',
  /** Turns an input error of the service into a sentence. */
  invalid: (path = '', message: string) => {
    const field = path
      .split('.')
      .at(-1)
      ?.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    if (message.startsWith('must be the id of')) {
      return `The ${field?.replace(/ id$/, '') ?? ''} no longer exists, or you do not have access to it.`;
    }
    if (message === 'must equal newPassword') return 'The new passwords do not match.';
    const text = `${field ?? ''} ${message}`.trim();
    return text.charAt(0).toUpperCase() + text.slice(1);
  },

  // Entry.
  signIn: 'Sign in',
  signOut: 'Sign out',
  email: 'E-mail',
  password: 'Password',
  code: 'Code',
  factorCode: 'Code from your authenticator app',
  factorHint: 'You can also use a recovery code.',
  createAnAccount: 'Create an account',
  createAccount: 'Create account',
  forgot: 'Forgot your password?',
  continueWith: (label: string) => `Continue with ${label}`,
  usePasskey: 'Use a passkey',
  sessionEnded: 'Your session has ended. Unsent changes are kept until you sign in again.',
  sendCode: 'Send code',
  sendCodeAgain: 'Send another code',
  codeSent: (email: string) => `A six-digit code is on its way to ${email}. It is valid for five minutes.`,
  codeInTerminal: (folder: string) =>
    `Your code is in the terminal where Taskgate runs and in ${folder}. It is valid for five minutes.`,
  codeInLog: (folder: string) =>
    `Your code is in the log of the service and in ${folder}. It is valid for five minutes.`,
  outbox: 'the “outbox” folder of its data folder',
  haveAccount: 'I have an account',
  newPassword: 'New password',
  setPassword: 'Set password',
  passwordChanged: 'Your password has been changed. Sign in with the new password.',
  endOtherWaysIn: 'Remove all other sign-in methods',
  endOtherWaysInHint: 'Removes your passkeys and linked providers. Sessions and access tokens always end.',
  backToSignIn: 'Back to sign in',

  // Around the lists.
  skip: 'Skip to the tasks',
  menu: 'Menu',
  lists: 'Lists',
  today: 'Today',
  upcoming: 'Upcoming',
  inbox: 'Inbox',
  myTasks: 'My tasks',
  projects: 'Projects',
  tags: 'Tags',
  search: 'Search',
  searchHint: 'Search tasks, projects, sections and tags.',
  found: (number: number, others: readonly string[]) =>
    number === 0 && others.length === 0
      ? 'Nothing found'
      : [`${number === 0 ? 'No tasks' : tasksOf(number)} found`, ...others].join(', '),
  sections: 'Sections',
  projectsOf: (number: number) => count(number, 'project', 'projects'),
  sectionsOf: (number: number) => count(number, 'section', 'sections'),
  tagsOf: (number: number) => count(number, 'tag', 'tags'),
  account: 'Account',
  settings: 'Settings',
  completedTasks: 'Completed',
  trash: 'Trash',
  keyboard: 'Keyboard shortcuts',
  statuses: { offline: 'Offline', 'catching up': 'Catching up' },
  unsentCount: (number: number) => count(number, 'unsent change', 'unsent changes'),
  storageFailed: 'The browser has no space for your tasks. New changes are kept only while this page is open.',
  refused: (what: string, about: string) => `Could not ${what}${about === '' ? '' : ` ${quote(about)}`}.`,
  dismiss: 'Dismiss',
  editRefused: 'Edit',
  notSignedOut: (reason: string) => `Could not sign out. ${reason}`,
  unsentAtSignOut: (number: number) =>
    `${count(number, 'unsent change stays', 'unsent changes stay')} in this browser until you sign in again.`,
  pages: {
    today: 'Today',
    upcoming: 'Upcoming',
    assigned: 'My tasks',
    completed: 'Completed',
    trash: 'Trash',
    search: 'Search',
    settings: 'Settings',
    workspaces: 'Workspaces',
    tags: 'Tag',
  } as Readonly<Record<string, string>>,
  missing: 'Nothing here',
  missingHint: 'This page does not exist, or you do not have access to it.',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  saved: 'Saved',
  add: 'Add',
  create: 'Create',
  rename: 'Rename',
  remove: 'Remove',
  nameOf: 'Name',

  // Lists of tasks.
  tasks: 'Tasks',
  overdue: 'Overdue',
  nothingToday: 'Nothing is due today.',
  nothingUpcoming: 'Nothing is due later.',
  nothingAssigned: 'No open task is assigned to you.',
  nothingCompleted: 'No completed tasks yet.',
  nothingTagged: 'No open task has this tag.',
  noTasks: 'No tasks yet.',
  nothingInProject: 'No tasks yet. Add the first one above.',
  addTask: 'Add a task',
  addTaskExample: 'Add a task, such as “Call Ada tomorrow 9:00 !high #phone”',
  recognized: 'Understood',
  removeChip: (text: string) => `Remove ${text}`,
  more: 'More',
  edit: 'Open details',
  complete: 'Complete',
  reopen: 'Reopen',
  dueToday: 'Due today',
  dueTomorrow: 'Due tomorrow',
  noDueDate: 'No due date',
  addSubtask: 'Add subtask',
  delete: 'Delete',
  subtaskOf: 'Subtask of',
  subtasksOf: (title: string) => `Subtasks of ${title}`,
  subtaskProgress: (doneCount: number, total: number) => `${doneCount}/${total}`,
  assignedTo: (names: readonly string[]) => `Assigned to ${names.join(', ')}`,
  hasDescription: 'Has a description',
  unsent: 'Not sent yet',
  selected: 'Selected',
  completedCount: (number: number) => `Completed (${number})`,

  // Moves and multiple selection.
  lifted: (title: string) => `Lifted ${quote(title)}. Arrows move it, Space drops it, Escape puts it back.`,
  placeIn: (at: number, total: number, list: string) => `Position ${at} of ${total} in ${list}`,
  placeInto: (name: string) => `To ${quote(name)}`,
  placeBelow: (title: string) => `Subtask of ${shorten(title, 60)}`,
  placeAfter: (title: string) => `After ${quote(title)}`,
  dropped: (title: string, place: string) => `Dropped ${quote(title)}. ${place}`,
  putBack: (title: string) => `Put ${quote(title)} back`,
  selectedTasks: 'Selected tasks',
  countSelected: (number: number) => `${number} selected`,
  deselect: 'Deselect all',
  move: 'Move',
  moveOf: (title: string) => `Move ${quote(title)}`,
  arrows: { ArrowUp: 'Up', ArrowDown: 'Down', ArrowLeft: 'Left', ArrowRight: 'Right' },
  drop: 'Drop',
  putBackHere: 'Put back',
  toProject: 'To project',

  // Notices.
  editConflict: (field: 'title' | 'description', title: string, mine: string) =>
    `Someone else changed the ${field} of ${quote(title)} too. Their version was kept. Yours was ${quote(mine)}.`,
  useMine: 'Use mine',
  undo: 'Undo',
  undone: 'Undone',
  nothingToUndo: 'Nothing to undo',
  nothingUndone: 'Nothing was undone because someone has changed it since.',
  added: (title: string) => `Added ${quote(title)}`,
  completed: (title: string, isDone: boolean) => `${isDone ? 'Completed' : 'Reopened'} ${quote(title)}`,
  deleted: (title: string) => `Deleted ${quote(title)}`,
  moved: (title: string) => `Moved ${quote(title)}`,
  completeSubtasks: 'Complete subtasks',
  tasksCompleted: (number: number) => `Completed ${tasksOf(number)}`,
  tasksChanged: (number: number) => `Changed ${tasksOf(number)}`,
  tasksDeleted: (number: number) => `Deleted ${tasksOf(number)}`,
  tasksMoved: (number: number) => `Moved ${tasksOf(number)}`,
  to: 'to',

  // Projects, tags, workspaces.
  view: 'View',
  newProject: 'New project',
  newProjectIn: (workspace: string) => `New project in ${workspace}`,
  projectMenu: 'Project menu',
  deleteProject: 'Delete project',
  newSection: 'New section',
  noSection: 'No section',
  sectionMenu: (name: string) => `Menu of ${name}`,
  deleteSection: 'Delete section',
  moveUp: 'Move up',
  moveDown: 'Move down',
  monthBefore: 'Previous month',
  monthAfter: 'Next month',
  newTag: 'New tag',
  tagMenu: 'Tag menu',
  deleteTag: 'Delete tag',
  newWorkspace: 'New workspace',
  workspaceMenu: 'Workspace menu',
  deleteWorkspace: 'Delete workspace',
  leaveWorkspace: 'Leave workspace',
  deleteWorkspaceHint: (name: string) => `This deletes ${quote(name)} and everything in it.`,
  leaveWorkspaceHint: (name: string) => `You will lose access to ${quote(name)}.`,
  members: 'Members',
  role: 'Role',
  roleOf: (name: string) => `Role of ${name}`,
  roles: { VIEWER: 'Viewer', COMMENTER: 'Commenter', EDITOR: 'Editor', ADMIN: 'Admin' } as Readonly<
    Record<WorkspaceRole, string>
  >,
  rolesHint: 'Viewers read, commenters comment too, editors change tasks too, and admins manage the workspace too.',
  roleNotes: { VIEWER: 'You can only read this workspace', COMMENTER: 'You can only comment' } as Readonly<
    Partial<Record<WorkspaceRole, string>>
  >,
  needsAdmin: 'A workspace needs an admin. Make another member an admin first.',
  lastAdmin: 'You are the only admin. Make another member an admin first, then you can leave.',
  invite: 'Invite',
  inviteTo: (name: string) => `Invite to ${name}`,
  sendInvitation: 'Send invitation',
  removeMember: 'Remove',
  removeMemberHint: (who: string, workspace: string) => `${who} will lose access to ${quote(workspace)}.`,
  openInvitations: 'Open invitations',
  invitations: 'Invitations',
  noWorkspaces: 'No workspaces yet. Create one to share projects with other people.',
  invited: (who: string, workspace: string) => `${who} invited you to ${quote(workspace)}`,
  accept: 'Accept',
  decline: 'Decline',
  revoke: 'Revoke',
  revokeTokenHint: (name: string) =>
    `Programs that use ${quote(name)} will lose access immediately. This cannot be undone.`,

  // Details.
  task: 'Task',
  parentTask: 'Parent task',
  missingTask: 'This task no longer exists, or you do not have access to it.',
  completedLabel: 'Completed',
  title: 'Title',
  description: 'Description',
  dueDate: 'Due date',
  time: 'Time',
  ...{ repeat: 'Repeat', rule: 'Rule', nextDate: 'Next date', nextDates: 'Next dates', endsLabel: 'Ends' },
  presets: {
    ...{ never: 'Never', daily: 'Every day', weekdays: 'Every weekday', weekly: 'Every week', monthly: 'Every month' },
    ...{ monthEnd: 'Every month on the last day', yearly: 'Every year', custom: 'Custom' },
  },
  bases: { SCHEDULE: 'By the schedule', COMPLETION: 'After completion', EACH: 'Each date' },
  ends: { '': 'Never', UNTIL: 'On a date', COUNT: 'After times' },
  endFields: { UNTIL: 'Last day', COUNT: 'Occurrences' },
  summary: ({ rule, basis }: RecurrenceInput, start: string) => summaryOf({ rule, basis: basis ?? 'SCHEDULE', start }),
  repeats: (summary: string) => `Repeats ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
  ruleHint: 'Such as FREQ=MONTHLY;BYDAY=-1FR: every month on the last Friday.',
  /** Completes a sentence that begins with "Rule". */
  plainRule: 'must be a plain interval, such as every 3 days, to count from completions',
  skipDate: 'Skip this date',
  skipped: (title: string) => `Skipped a date of ${quote(title)}`,
  ...{ changeDate: 'Change the date', onlyThisOne: 'Only this one', thisAndAllLater: 'This and all later' },
  priority: 'Priority',
  noPriority: 'None',
  color: 'Color',
  noColor: 'No color',
  addTag: 'Add a tag',
  assignees: 'Assignees',
  addAssignee: 'Add a member',
  project: 'Project',
  section: 'Section',
  reminder: 'Reminder',
  reminderNeedsDate: 'Set a due date to get a reminder.',
  plannedAt: (moment: string) => `Planned for ${moment}`,
  notPlanned: 'No reminder is planned. Its time has passed, or reminders are turned off in the settings.',
  subtasks: 'Subtasks',
  addASubtask: 'Add a subtask',
  history: 'History',
  historyOffline: 'The history is available when you are online.',
  undoneNote: 'undone',
  changed: (what: string, from = '', to = '') => `${what} (${from} → ${to})`,
  fields: {
    title: 'title',
    description: 'description',
    completed: 'completed',
    completedAt: 'completed at',
    dueDate: 'due date',
    dueTime: 'time',
    isAllDay: 'all day',
    recurrence: 'repeat',
    priority: 'priority',
    color: 'color',
    reminder: 'reminder',
    sortKey: 'position',
    parent: 'parent',
    project: 'project',
    section: 'section',
    tags: 'tags',
    assignees: 'assignees',
  } as Readonly<Record<string, string>>,

  // Trash.
  emptyTrash: 'Empty trash',
  emptyTrashHint: 'This permanently deletes everything in the list. It cannot be undone.',
  trashEmptied: 'The trash is empty',
  emptyTrashNote: 'The trash is empty.',
  restore: 'Restore',
  restored: (name: string) => `Restored ${quote(name)}`,
  deletedAt: (moment: string) => `deleted ${moment}`,
  withOthers: (number: number) => `with ${number} more`,
  types: { TASK: 'Task', PROJECT: 'Project', SECTION: 'Section', TAG: 'Tag', WORKSPACE: 'Workspace' } as Readonly<
    Record<string, string>
  >,

  // Settings.
  settingsPages: {
    profile: 'Profile',
    notifications: 'Notifications',
    security: 'Security',
    tokens: 'Access tokens',
    export: 'Export',
    account: 'Delete account',
  } as Readonly<Record<string, string>>,
  yourName: 'Name',
  picture: 'Picture',
  pictureHint: 'JPEG or PNG, up to 5 MB.',
  changeEmail: 'Change e-mail',
  newEmail: 'New e-mail',
  emailEnabled: 'E-mail notifications',
  taskReminders: 'Task reminders',
  automaticReminder: 'Add a reminder to new tasks with a due date',
  reminderBefore: 'Minutes before the due time',
  dailyDigest: 'Daily digest',
  digestTime: 'Digest time',
  timeZone: 'Time zone',
  zoneOffer: (zone: string) => `Your reminders and digests use UTC, but this browser is in ${zone}.`,
  otherZone: (zone: string) => `This browser is in another time zone: ${zone}.`,
  useZone: (zone: string) => `Use ${zone}`,
  keepZone: 'Keep UTC',
  sendTestMail: 'Send a test mail',
  testMailSent: 'The test mail is on its way',
  testMailWritten: (folder: string) => `The test mail is in ${folder}`,
  nextDigest: 'Next digest',
  noDigest: 'No digest is planned because the digest or all e-mail is turned off. Preview:',
  currentPassword: 'Current password',
  repeatPassword: 'New password again',
  changePassword: 'Change password',
  passwordChangedHere: 'Password changed. Your other sessions have ended',
  authenticator: 'Authenticator app',
  authenticatorOn: 'Signing in with your password requires a code from your app.',
  authenticatorOff: 'A code from an app protects your account if someone learns your password.',
  setUpAuthenticator: 'Set up',
  scan: 'Scan this code with your app, then enter the code that the app shows.',
  orType: 'Or enter the secret:',
  qrCode: 'QR code',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  recoveryCodes: 'Save these recovery codes now. You will not see them again. Each one replaces a code once.',
  passkeys: 'Passkeys',
  addedAt: (moment: string) => `added ${moment}`,
  passkeyName: 'Name of the passkey',
  addPasskey: 'Add a passkey',
  noPasskeys: 'This browser does not support passkeys at this address.',
  linkedProviders: 'Linked providers',
  link: 'Link',
  unlink: 'Unlink',
  unlinkHint: (label: string) => `You can no longer sign in with ${quote(label)}.`,
  removePasskeyHint: (name: string) =>
    `You can no longer sign in with the passkey ${quote(name)}. This cannot be undone.`,
  sessions: 'Sessions',
  thisDevice: '(this one)',
  usedAt: (moment: string) => `used ${moment}`,
  endOthers: 'Sign out all others',
  tokens: 'Access tokens',
  tokensHint: 'Access tokens let programs use your account with limited rights.',
  tokenMade: 'Copy the token now. You will not see it again.',
  newToken: 'New token',
  createToken: 'Create token',
  scopes: { READ: 'Read', WRITE: 'Read and write' } as Readonly<Record<string, string>>,
  permissions: 'Permissions',
  access: 'Access to',
  everything: 'Everything',
  ownSpace: 'Own projects',
  endsOn: 'Expires on',
  endsOnHint: 'Leave this empty for a token that never expires.',
  neverEnds: 'never expires',
  endsAt: (moment: string) => `expires ${moment}`,
  neverUsed: 'never used',
  exportHint: 'Everything that the service stores about your account, as one JSON file.',
  download: 'Download',
  deleteAccount: 'Delete account',
  deleteAccountHint:
    'This permanently deletes your profile, your own projects with their tasks, your tags, and workspaces in which you are the only member.',
  confirmDeletion: 'I am sure',
} as const;
