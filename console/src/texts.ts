import type { MutationName, Priority, TagColor, ViewMode } from 'taskgate-client';
import { shortened } from './ui/characters.ts';

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;
const tasksOf = (number: number) => count(number, 'task', 'tasks');
const quoted = (text: string) => `“${shortened(text, 60)}”`;

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

/** Verbs of mutations: what is to be done, and what was done. */
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

/** What other mutations do, and those that people call something else. */
const phrases: Readonly<Record<Exclude<MutationName, Regular>, Phrases> & Partial<Record<MutationName, Phrases>>> = {
  createTask: ['add the task', 'Task added'],
  deleteTags: ['delete the tag', 'Tag deleted'],
  updatePreferences: ['save the preferences', 'Saved'],
  undo: ['undo the change', 'Undone'],
  restore: ['restore it', 'Restored'],
};

/** What a mutation does: `createTag` is to "create the tag", then "Tag created". */
function phrasesOf(name: MutationName): Phrases {
  const known = phrases[name];
  if (known) return known;
  const [verb = '', noun = ''] = name.split(/(?=[A-Z])/);
  const [toDo, done] = verbs[verb as Verb];
  return [`${toDo} the ${noun.toLowerCase()}`, `${noun} ${done}`];
}

/** By codes of errors. */
const problems: Readonly<Record<string, string>> = {
  NETWORK_ERROR: 'The service cannot be reached. Try again when there is a network.',
  UNAVAILABLE: 'The service is busy. Try again in a moment.',
  RATE_LIMITED: 'That was too often. Try again later.',
  NOT_FOUND: 'It is not there any more.',
  FORBIDDEN: 'This account may not do that.',
  INTERNAL: 'The service has failed. Try again later.',
  REAUTHENTICATION_REQUIRED: 'Sign out and in again first: this needs a sign-in of the last ten minutes.',
  STORAGE_FAILED: 'The browser has no room to keep it.',
};

const providerProblems: Readonly<Record<string, string>> = {
  ACCOUNT_EXISTS: 'That address has an account already: sign in as before, and link the provider in the settings.',
  EMAIL_NOT_VERIFIED: 'The provider does not vouch for an e-mail address.',
  ALREADY_LINKED: 'Another account is linked to that sign-in.',
  PROVIDER_DENIED: 'The provider has refused the sign-in.',
  PROVIDER_UNAVAILABLE: 'The provider cannot be reached. Try again later.',
  INVALID_STATE: 'The sign-in has taken too long. Try again.',
};

const keys: readonly (readonly [keys: readonly string[], text: string])[] = [
  [['q'], 'Add a task'],
  [['Shift', 'Enter'], 'Add it, and go on with the next one'],
  [['/'], 'Search'],
  [['j'], 'Next task'],
  [['k'], 'Previous task'],
  [['Enter'], 'Open details'],
  [['e'], 'Edit the title'],
  [['c'], 'Complete, or open again'],
  [['1', '2', '3', '4'], 'Priority high, medium, low, none'],
  [['d'], 'Due date'],
  [['x'], 'Select'],
  [['Space'], 'Lift; arrows move, Space drops, Escape puts back'],
  [['Ctrl', 'Z'], 'Undo'],
  [['g', 't'], 'Go to Today'],
  [['g', 'u'], 'Go to Upcoming'],
  [['g', 'i'], 'Go to Inbox'],
  [['?'], 'These shortcuts'],
];

/** All texts of the console. */
export const texts = {
  ...{ priorities, views, colors, problems, providerProblems, keys },
  /** What is to be done, where it was refused. */
  toDo: (name: MutationName) => phrasesOf(name)[0],
  /** What was done. */
  done: (name: MutationName) => phrasesOf(name)[1],
  name: 'Taskgate',
  opening: 'Opening…',
  cannotOpen: 'Taskgate cannot open in this browser. Allow this site to store data, or use another browser.',
  unknownProblem: 'That did not work. Try again.',
  /** What is wrong with an input, as the service says it: "newPassword", "must not be empty". */
  invalid: (path = '', message: string) => {
    const field = path
      .split('.')
      .at(-1)
      ?.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    // It was deleted since, or is shared no more.
    if (message.startsWith('must be the id of')) {
      return `The ${field?.replace(/ id$/, '') ?? ''} is gone, or this account may not see it.`;
    }
    if (message === 'must equal newPassword') return 'The new passwords differ.';
    const text = `${field ?? ''} ${message}`.trim();
    return text.charAt(0).toUpperCase() + text.slice(1);
  },

  // The way in.
  signIn: 'Sign in',
  signOut: 'Sign out',
  email: 'E-mail',
  password: 'Password',
  code: 'Code',
  factorCode: 'Code of your authenticator app',
  factorHint: 'Or one of your recovery codes.',
  createAnAccount: 'Create an account',
  createAccount: 'Create account',
  forgot: 'Forgot your password?',
  continueWith: (label: string) => `Continue with ${label}`,
  usePasskey: 'Use a passkey',
  sessionEnded: 'Your session has ended. What is not sent yet is kept until you sign in again.',
  sendCode: 'Send code',
  sendCodeAgain: 'Send another code',
  codeSent: (email: string) => `A code of six digits is on its way to ${email}. It is valid for five minutes.`,
  codeInTerminal: (folder: string) =>
    `Your code is in the terminal where Taskgate runs, and in ${folder}. It is valid for five minutes.`,
  codeInLog: (folder: string) =>
    `Your code is in the log of the service, and in ${folder}. It is valid for five minutes.`,
  outbox: 'the folder “outbox” of its data folder',
  haveAccount: 'I have an account',
  newPassword: 'New password',
  setPassword: 'Set password',
  passwordChanged: 'The password is changed. Sign in with it.',
  endOtherWaysIn: 'End all other ways to sign in',
  endOtherWaysInHint:
    'Removes passkeys and linked providers of the account. Sessions and access tokens end in any case.',
  backToSignIn: 'Back to sign in',

  // Around the lists.
  skip: 'Skip to the tasks',
  menu: 'Menu',
  lists: 'Lists',
  today: 'Today',
  upcoming: 'Upcoming',
  inbox: 'Inbox',
  projects: 'Projects',
  tags: 'Tags',
  search: 'Search',
  searchHint: 'Words of tasks, and names of projects, sections and tags.',
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
  toBeSent: (number: number) => `${count(number, 'change', 'changes')} to be sent`,
  storageFailed: 'The browser has no room for your tasks: what you change now is kept only while this page is open.',
  refused: (what: string, about: string) => `Could not ${what}${about === '' ? '' : ` ${quoted(about)}`}.`,
  dismiss: 'Dismiss',
  editRefused: 'Edit',
  notSignedOut: (reason: string) => `Not signed out: ${reason}`,
  unsentAtSignOut: (number: number) =>
    `${count(number, 'change is', 'changes are')} not sent yet: kept in this browser, and sent when you sign in again.`,
  pages: {
    today: 'Today',
    upcoming: 'Upcoming',
    completed: 'Completed',
    trash: 'Trash',
    search: 'Search',
    settings: 'Settings',
    workspaces: 'Workspaces',
    tags: 'Tag',
  } as Readonly<Record<string, string>>,
  missing: 'Nothing here',
  missingHint: 'It is gone, or this account may not see it.',
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
  nothingCompleted: 'Nothing is completed yet.',
  nothingTagged: 'No open task has this tag.',
  nothingInProject: 'No tasks yet. Add the first one above.',
  addTask: 'Add a task',
  addTaskExample: 'Add a task, such as “Call Ada tomorrow 9:00 !high #phone”',
  understood: 'Understood',
  removeChip: (text: string) => `Remove ${text}`,
  more: 'More',
  edit: 'Open details',
  complete: 'Complete',
  reopen: 'Open again',
  dueToday: 'Due today',
  dueTomorrow: 'Due tomorrow',
  noDueDate: 'No due date',
  addSubtask: 'Add subtask',
  delete: 'Delete',
  subtaskOf: 'Subtask of',
  subtasksOf: (title: string) => `Subtasks of ${title}`,
  doneOf: (some: number, all: number) => `${some}/${all}`,
  hasDescription: 'Has a description',
  unsent: 'Not sent yet',
  selected: 'Selected',
  completedCount: (number: number) => `Completed (${number})`,

  // Moving, and many at once.
  lifted: (title: string) => `${quoted(title)} is lifted. Arrows move it, Space drops it, Escape puts it back.`,
  placeIn: (at: number, all: number, list: string) => `Place ${at} of ${all} in ${list}`,
  placeInto: (name: string) => `To ${quoted(name)}`,
  placeBelow: (title: string) => `Subtask of ${shortened(title, 60)}`,
  placeBehind: (title: string) => `After ${quoted(title)}`,
  dropped: (title: string, place: string) => `${quoted(title)} is dropped: ${place}`,
  putBack: (title: string) => `${quoted(title)} is put back`,
  selectedTasks: 'Selected tasks',
  countSelected: (number: number) => `${number} selected`,
  deselect: 'Deselect all',
  move: 'Move',
  moveOf: (title: string) => `Move ${quoted(title)}`,
  arrows: { ArrowUp: 'Up', ArrowDown: 'Down', ArrowLeft: 'Left', ArrowRight: 'Right' },
  drop: 'Drop',
  putBackHere: 'Put back',
  toProject: 'To project',

  // What was done.
  theirsStays: (field: 'title' | 'description', title: string, mine: string) =>
    `Somebody else has changed the ${field} of ${quoted(title)} as well, and theirs is kept. Yours was ${quoted(mine)}.`,
  useMine: 'Use mine',
  undo: 'Undo',
  undone: 'Undone',
  nothingToUndo: 'Nothing to undo',
  nothingUndone: 'Nothing was undone: others have gone on with it.',
  added: (title: string) => `Added ${quoted(title)}`,
  completed: (title: string, isDone: boolean) => `${isDone ? 'Completed' : 'Opened'} ${quoted(title)}`,
  deleted: (title: string) => `Deleted ${quoted(title)}`,
  moved: (title: string) => `Moved ${quoted(title)}`,
  completeSubtasks: 'Complete subtasks',
  completedMany: (number: number) => `Completed ${tasksOf(number)}`,
  changedMany: (number: number) => `Changed ${tasksOf(number)}`,
  deletedMany: (number: number) => `Deleted ${tasksOf(number)}`,
  movedMany: (number: number) => `Moved ${tasksOf(number)}`,
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
  deleteWorkspaceHint: (name: string) => `${quoted(name)} is deleted with all that is in it.`,
  leaveWorkspaceHint: (name: string) => `You will not see ${quoted(name)} any more.`,
  members: 'Members',
  invite: 'Invite',
  inviteTo: (name: string) => `Invite to ${name}`,
  sendInvitation: 'Send invitation',
  removeMember: 'Remove',
  removeMemberHint: (who: string, workspace: string) => `${who} will not see ${quoted(workspace)} any more.`,
  openInvitations: 'Open invitations',
  invitations: 'Invitations',
  noWorkspaces: 'No workspaces yet. In one, several people share projects.',
  invited: (who: string, workspace: string) => `${who} invites you to ${quoted(workspace)}`,
  accept: 'Accept',
  decline: 'Decline',
  revoke: 'Revoke',
  revokeTokenHint: (name: string) =>
    `Programs that use ${quoted(name)} lose their access at once. This cannot be undone.`,

  // Details.
  task: 'Task',
  parentTask: 'Parent task',
  missingTask: 'This task is gone, or this account may not see it.',
  completedLabel: 'Completed',
  title: 'Title',
  description: 'Description',
  dueDate: 'Due date',
  time: 'Time',
  priority: 'Priority',
  noPriority: 'None',
  color: 'Color',
  noColor: 'No color',
  addTag: 'Add a tag',
  project: 'Project',
  section: 'Section',
  reminder: 'Reminder',
  reminderNeedsDate: 'It needs a due date.',
  plannedAt: (moment: string) => `Planned for ${moment}`,
  notPlanned: 'None is planned: it would be in the past, or reminders are off in the settings.',
  subtasks: 'Subtasks',
  addASubtask: 'Add a subtask',
  history: 'History',
  historyOffline: 'The history is shown when there is a network.',
  wasUndone: 'undone',
  fields: {
    title: 'title',
    description: 'description',
    completed: 'completed',
    completedAt: 'completed at',
    dueDate: 'due date',
    dueTime: 'time',
    isAllDay: 'all day',
    priority: 'priority',
    color: 'color',
    reminder: 'reminder',
    sortKey: 'place',
    parent: 'parent',
    project: 'project',
    section: 'section',
    tags: 'tags',
  } as Readonly<Record<string, string>>,

  // Trash.
  emptyTrash: 'Empty trash',
  emptyTrashHint: 'What is listed is deleted for good. This cannot be undone.',
  trashEmptied: 'The trash is empty',
  trashIsEmpty: 'The trash is empty.',
  restore: 'Restore',
  restored: (name: string) => `Restored ${quoted(name)}`,
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
  taskReminders: 'Reminders of tasks',
  automaticReminder: 'Remind of new tasks that have a due date',
  reminderBefore: 'Minutes before the due time',
  dailyDigest: 'Daily digest',
  digestTime: 'Time of the digest',
  timeZone: 'Time zone',
  zoneOffer: (zone: string) => `Your reminders and digests follow the time zone UTC, and this browser is in ${zone}.`,
  otherZone: (zone: string) => `This browser is in another time zone: ${zone}.`,
  useZone: (zone: string) => `Use ${zone}`,
  keepZone: 'Keep UTC',
  sendTestMail: 'Send a test mail',
  testMailSent: 'The test mail is on its way',
  testMailWritten: (folder: string) => `The test mail is in ${folder}`,
  nextDigest: 'Next digest',
  noDigest: 'None is planned: the digest, or e-mail, is off. It would be:',
  currentPassword: 'Current password',
  repeatPassword: 'New password again',
  changePassword: 'Change password',
  passwordChangedHere: 'The password is changed; other sessions have ended',
  authenticator: 'Authenticator app',
  authenticatorOn: 'A sign-in by password needs a code of your app.',
  authenticatorOff: 'A code from an app keeps out anyone who knows only your password.',
  setUpAuthenticator: 'Set up',
  scan: 'Scan this with the app, then type in the code that it shows.',
  orType: 'Or type in the secret:',
  qrCode: 'QR code',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  recoveryCodes: 'Keep these recovery codes: each works once in place of a code. They are shown this once.',
  passkeys: 'Passkeys',
  addedAt: (moment: string) => `added ${moment}`,
  passkeyName: 'Name of the passkey',
  addPasskey: 'Add a passkey',
  noPasskeys: 'This browser has no passkeys for this address.',
  linkedProviders: 'Linked providers',
  link: 'Link',
  unlink: 'Unlink',
  unlinkHint: (label: string) => `You can no longer sign in with ${quoted(label)}.`,
  removePasskeyHint: (name: string) =>
    `You can no longer sign in with the passkey ${quoted(name)}. This cannot be undone.`,
  sessions: 'Sessions',
  thisDevice: '(this one)',
  usedAt: (moment: string) => `used ${moment}`,
  endOthers: 'Sign out all others',
  tokens: 'Access tokens',
  tokensHint: 'Programs sign in with these, with limited rights.',
  tokenMade: 'Copy the token now: it is shown this once.',
  newToken: 'New token',
  createToken: 'Create token',
  scopes: { READ: 'Read', WRITE: 'Read and write' } as Readonly<Record<string, string>>,
  may: 'May',
  reaches: 'Reaches',
  everything: 'Everything',
  ownSpace: 'Own projects',
  endsOn: 'Ends on',
  endsOnHint: 'Left empty it never ends.',
  neverEnds: 'never ends',
  endsAt: (moment: string) => `ends ${moment}`,
  neverUsed: 'never used',
  exportHint: 'All that the service holds of your account, as one JSON file.',
  download: 'Download',
  deleteAccount: 'Delete account',
  deleteAccountHint:
    'Your profile, your own projects with their tasks, your tags, and workspaces of which you are the last member are deleted for good.',
  sure: 'I am sure',
} as const;
