import {
  address,
  splitMutations,
  flag,
  type Inputs,
  name,
  oneOf,
  strangeTasks,
  strangeWorkspaces,
  tasks,
  words,
} from './parity-values.ts';

const hookUrl = oneOf(
  'https://hooks.invalid/a',
  'http://hooks.invalid',
  'https://10.0.0.1',
  'https://a@hooks.invalid',
  'x',
);

const ofInvitation: Inputs = {
  path: { id: ['<open invitation>', '<no task>', 'nonsense'] },
  example: { path: { id: '<open invitation>' } },
};

export const additions: Record<string, Inputs> = {
  'PATCH /api/v1/user/user-preferences': {
    body: {
      emailEnabled: flag,
      automaticRemainder: flag,
      digestTime: oneOf('07:30', '24:00', null),
      timeZone: oneOf('Europe/Berlin', 'Nowhere'),
      activityMails: oneOf('all', 'direct', 'none', 'ALL', 'some'),
    },
    example: { body: { automaticRemainder: true, digestTime: '06:00', timeZone: 'Europe/Berlin' } },
  },
  'GET /api/v1/user/sessions': { example: {} },
  'DELETE /api/v1/user/sessions/:id': {
    path: { id: ['<doomed session>', 'nonsense', '<no task>'] },
    example: { path: { id: '<doomed session>' } },
  },
  'DELETE /api/v1/user/sessions': { as: 'leaver', example: {} },
  'DELETE /api/v1/user': {
    as: 'leaver',
    body: { password: oneOf('correct horse battery staple', 'wrong', null) },
    example: { body: { password: 'correct horse battery staple' } },
  },
  'GET /api/v2/workspaces': { example: {} },
  'POST /api/v2/workspaces': { body: { name }, example: { body: { name: 'Garden' } } },
  'PUT /api/v2/workspaces/:id': {
    path: { id: ['<workspace>', '<workspace>', ...strangeWorkspaces] },
    body: { name },
    example: { path: { id: '<workspace>' }, body: { name: 'Yard' } },
  },
  'DELETE /api/v2/workspaces/:id': {
    path: { id: ['<doomed workspace>', ...strangeWorkspaces] },
    example: { path: { id: '<doomed workspace>' } },
  },
  'DELETE /api/v2/workspaces/:id/members/:userId': {
    path: {
      id: ['<joined workspace>', '<workspace>', ...strangeWorkspaces],
      userId: ['<user>', '<no task>', 'nonsense'],
    },
    example: { path: { id: '<joined workspace>', userId: '<user>' } },
  },
  'GET /api/v2/workspaces/:id/members': {
    path: { id: ['<workspace>', ...strangeWorkspaces] },
    example: { path: { id: '<workspace>' } },
  },
  'PUT /api/v2/workspaces/:id/members/:userId': {
    path: {
      id: ['<workspace>', '<joined workspace>', ...strangeWorkspaces],
      userId: ['<user>', '<no task>', 'nonsense'],
    },
    body: { role: oneOf('admin', 'viewer', 'ADMIN', 'owner') },
    example: { path: { id: '<workspace>', userId: '<user>' }, body: { role: 'admin' } },
  },
  'GET /api/v2/workspaces/:id/invitations': {
    path: { id: ['<workspace>', ...strangeWorkspaces] },
    example: { path: { id: '<workspace>' } },
  },
  'POST /api/v2/workspaces/:id/invitations': {
    path: { id: ['<workspace>', '<workspace>', ...strangeWorkspaces] },
    body: {
      email: oneOf('friend@example.com', ' FRIEND@example.com', '<email>', 'nobody'),
      role: oneOf('viewer', 'admin', 'ADMIN'),
    },
    example: { path: { id: '<workspace>' }, body: { email: 'friend@example.com' } },
    nullKeeps: ['role'],
  },
  'DELETE /api/v2/workspaces/:id/invitations/:invitationId': {
    path: {
      id: ['<doomed workspace>', '<workspace>', ...strangeWorkspaces],
      invitationId: ['<sent invitation>', '<no task>', 'nonsense'],
    },
    example: { path: { id: '<doomed workspace>', invitationId: '<sent invitation>' } },
  },
  'GET /api/v2/invitations': { example: {} },
  'POST /api/v2/invitations/:id/accept': ofInvitation,
  'POST /api/v2/invitations/:id/decline': ofInvitation,
  'GET /api/v2/todo/:id/comments': {
    path: { id: [...tasks, ...strangeTasks] },
    query: { first: oneOf('1', '2', '500', '501', '0', 'x'), after: oneOf('nonsense') },
    example: { path: { id: '<task 1>' }, query: { first: '2' } },
  },
  'POST /api/v2/todo/:id/comments': {
    path: { id: [...tasks, ...strangeTasks] },
    body: { text: oneOf('Done?', ' @<user> ', '@<user>'.repeat(30), ' ', 'x'.repeat(16_384), '🦊'.repeat(16_385)) },
    example: { path: { id: '<task 1>' }, body: { text: 'Done? @<user>' } },
  },
  'GET /api/v2/comments/search': { query: { q: oneOf('plan', 'Done', ' ') }, example: { query: { q: 'wat' } } },
  'PATCH /api/v2/comments/:id': {
    path: { id: ['<doomed comment>', '<their comment>', ...strangeTasks] },
    body: { text: oneOf('Done!', ' ', '@<user>') },
    example: { path: { id: '<doomed comment>' }, body: { text: 'Done!' } },
  },
  'DELETE /api/v2/comments/:id': {
    path: { id: ['<doomed comment>', '<their comment>', ...strangeTasks] },
    example: { path: { id: '<doomed comment>' } },
  },
  'GET /api/v2/digest': { example: {} },
  'GET /api/v2/deliveries': {
    query: { first: oneOf('0', '2', '500', '501', 'x') },
    example: { query: { first: '5' } },
  },
  'GET /api/v2/notifications': {
    query: {
      unread: oneOf('true', 'false', 'yes'),
      first: oneOf('0', '2', '500', '501', 'x'),
      after: oneOf('nonsense', ''),
    },
    example: { query: { unread: 'true', first: '5' } },
  },
  'POST /api/v2/notifications/read': {
    body: { taskIds: oneOf(null, [], tasks, strangeTasks), until: oneOf('2030-01-01T00:00:00Z', 'soon', null) },
    example: { body: { taskIds: tasks, until: '2030-01-01T00:00:00Z' } },
  },
  'PUT /api/v2/todo/:id/muted': {
    path: { id: [...tasks, ...strangeTasks] },
    body: { muted: flag },
    example: { path: { id: '<task 1>' }, body: { muted: true } },
  },
  'GET /api/v2/recurrence': {
    query: {
      rule: oneOf('FREQ=DAILY', 'freq=weekly;byday=mo', 'FREQ=YEARLY;COUNT=3', 'FREQ=HOURLY', ''),
      basis: oneOf('schedule', 'completion', 'each', 'EACH'),
      timeZone: oneOf('Europe/Berlin', 'America/Los_Angeles', 'Nowhere'),
      start: oneOf('2030-01-01', '2031-01-01', '2030-02-30'),
      dueDate: oneOf('2030-01-01', 'soon'),
      dueTime: oneOf('2030-01-01T09:00:00Z', '2030-01-01T23:30:00Z', 'soon'),
      first: oneOf('0', '5', '100', '101', 'x'),
    },
    example: { query: { rule: 'FREQ=WEEKLY;BYDAY=MO,TH', dueDate: '2030-01-01', first: '0' } },
  },
  'GET /api/v2/todo/:id': { path: { id: [...tasks, ...strangeTasks] }, example: { path: { id: '<task 1>' } } },
  'GET /api/v2/todo/:id/reminders': {
    path: { id: [...tasks, ...strangeTasks] },
    example: { path: { id: '<task 1>' } },
  },
  'GET /api/v2/todo/:id/recurrence': {
    path: { id: [...tasks, ...strangeTasks] },
    query: { first: oneOf('0', '5', '100', '101', 'x') },
    example: { path: { id: '<task 1>' } },
  },
  'PUT /api/v2/todo/:id/recurrence': {
    path: { id: ['<doomed task>', ...tasks, ...strangeTasks] },
    body: {
      rule: oneOf('FREQ=DAILY', 'freq=weekly;byday=mo', 'FREQ=HOURLY', ''),
      basis: oneOf('schedule', 'completion', 'each', 'EACH', null),
      timeZone: oneOf('Europe/Berlin', 'Nowhere', null),
      start: oneOf('2030-01-01', '2030-02-30', null),
    },
    example: { path: { id: '<doomed task>' }, body: { rule: 'FREQ=DAILY', timeZone: 'Europe/Berlin' } },
  },
  'DELETE /api/v2/todo/:id/recurrence': {
    path: { id: ['<doomed task>', ...tasks, ...strangeTasks] },
    example: { path: { id: '<doomed task>' } },
  },
  'POST /api/v2/todo/:id/skip': {
    path: { id: ['<repeating task>', ...tasks, ...strangeTasks] },
    example: { path: { id: '<repeating task>' } },
  },
  'GET /api/v2/todo/assigned': {
    query: { userId: oneOf('<user>', '<no task>', 'nonsense'), completed: oneOf('true', 'false', 'maybe') },
    example: { query: { completed: 'false' } },
    narrower: { completed: 'GraphQL takes a boolean, which no text becomes by itself' },
  },
  'GET /api/v2/todo/:id/assignees': {
    path: { id: [...tasks, ...strangeTasks] },
    example: { path: { id: '<task 1>' } },
  },
  'PUT /api/v2/todo/:id/assignees/:userId': {
    path: { id: [...tasks, ...strangeTasks], userId: ['<user>', '<user>', '<no task>', 'nonsense'] },
    example: { path: { id: '<task 1>', userId: '<user>' } },
  },
  'DELETE /api/v2/todo/:id/assignees/:userId': {
    path: { id: [...tasks, ...strangeTasks], userId: ['<user>', '<no task>', 'nonsense'] },
    example: { path: { id: '<task 1>', userId: '<user>' } },
  },
  'POST /api/v2/todo/:id/move': {
    path: { id: ['<doomed task>', ...tasks, ...strangeTasks] },
    body: {
      after: oneOf(...tasks, ...strangeTasks, null),
      before: oneOf(...tasks, ...strangeTasks),
      parentId: oneOf(...tasks, ...strangeTasks, null),
    },
    example: { path: { id: '<doomed task>' }, body: { parentId: null } },
    narrower: { after: splitMutations, before: splitMutations, parentId: splitMutations },
  },
  'POST /api/v1/user/password/send-otp': {
    as: 'nobody',
    body: { email: address },
    example: { body: { email: '<new>' } },
  },
  'POST /api/v1/user/password/reset': {
    as: 'nobody',
    body: {
      email: oneOf('<forgetful>', '<asked>'),
      code: oneOf('<reset code>', '<wrong reset code>', '12345'),
      password: words,
    },
    example: { body: { email: '<forgetful>', code: '<reset code>', password: 'correct horse' } },
  },
  'GET /api/v2/changes': {
    query: { after: oneOf('<cursor>', '<cursor>', 'nonsense', ''), limit: oneOf('1', '3', '500', '0', '501', 'x') },
    example: { query: { after: '<cursor>', limit: '5' } },
  },
  'GET /api/v2/claims': { example: {} },
  'POST /api/v2/claims': {
    body: {
      taskId: oneOf('<doomed task>', ...strangeTasks, null),
      filter: oneOf(
        { projectId: '<project 1>' },
        { priority: ['high'] },
        { priority: ['HIGH'] },
        { tagIds: ['<tag 1>'] },
        null,
      ),
      seconds: oneOf(10, 3600, 9, 3601, 10.5),
    },
    example: { body: { taskId: '<doomed task>', seconds: 60 } },
    narrower: {
      taskId: 'a number is an id over GraphQL, of a missing task',
      filter: 'the row renames a field of the filter, which makes an object of any value',
    },
    nullKeeps: ['seconds'],
  },
  'POST /api/v2/claims/:fence/renew': {
    path: { fence: ['<claim 1>', '0', 'x', '999999999999999999'] },
    body: { seconds: oneOf(10, 3600, 9, 10.5) },
    example: { path: { fence: '<claim 1>' }, body: { seconds: 600 } },
    nullKeeps: ['seconds'],
  },
  'DELETE /api/v2/claims/:fence': {
    path: { fence: ['<claim 1>', '0', 'x', '999999999999999999'] },
    example: { path: { fence: '<claim 1>' } },
  },
  'GET /api/v2/webhooks': { example: {} },
  'POST /api/v2/webhooks': {
    body: {
      url: hookUrl,
      kinds: oneOf(['created'], ['deleted', 'updated'], [], ['CREATED'], null),
      fields: oneOf(['completed'], [], [''], null),
      spaceIds: oneOf(['<user>'], ['<workspace>'], ['nonsense'], [], null),
      maxChanges: oneOf(1, 500, 501, 0, 1.5, null),
    },
    example: { body: { url: 'https://hooks.invalid', kinds: ['created', 'updated'], spaceIds: ['<user>'] } },
  },
  'PATCH /api/v2/webhooks/:id': {
    path: { id: ['<webhook 1>', ...strangeTasks] },
    body: {
      url: hookUrl,
      kinds: oneOf(['created'], [], null),
      fields: oneOf(['completed', 'title'], [], null),
      maxChanges: oneOf(1, 501, null),
      enabled: flag,
      since: oneOf('2020-01-01T00:00:00Z', '2090-01-01T00:00:00Z', 'soon', null),
    },
    example: { path: { id: '<webhook 1>' }, body: { enabled: false, fields: ['completed'] } },
  },
  'DELETE /api/v2/webhooks/:id': {
    path: { id: ['<webhook 1>', ...strangeTasks] },
    example: { path: { id: '<webhook 1>' } },
  },
  'POST /api/v2/webhooks/:id/secret': {
    path: { id: ['<webhook 1>', ...strangeTasks] },
    example: { path: { id: '<webhook 1>' } },
  },
  'POST /api/v2/webhooks/:id/test': {
    path: { id: ['<webhook 1>', ...strangeTasks] },
    example: { path: { id: '<webhook 1>' } },
  },
  'GET /api/v2/webhooks/:id/attempts': {
    path: { id: ['<webhook 1>', ...strangeTasks] },
    example: { path: { id: '<webhook 1>' } },
  },
  'GET /api/v2/sync': {
    query: { after: oneOf('nonsense', ''), limit: oneOf('1', '3', '5000', '0', '5001', 'x') },
    example: { query: { limit: '5' } },
  },
};
