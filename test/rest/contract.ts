/** The endpoints in part 4 of the contract. */
export const documented: readonly [method: string, path: string][] = [
  // 4.1 Account and session
  ['POST', '/api/v1/user/signup/send-otp'],
  ['POST', '/api/v1/user/signup/verify'],
  ['POST', '/api/v1/user/signin'],
  ['GET', '/api/v1/auth-check'],
  ['POST', '/api/v1/user/logout'],
  // 4.2 User profile and preferences
  ['GET', '/api/v1/user/profile'],
  ['POST', '/api/v1/user/profile'],
  ['PUT', '/api/v1/user/name'],
  ['PUT', '/api/v1/user/password'],
  ['GET', '/api/v1/user/user-preferences'],
  ['PUT', '/api/v1/user/user-preferences'],
  // 4.3 Projects and sections
  ['GET', '/api/v2/projects'],
  ['GET', '/api/v2/projects/inbox'],
  ['GET', '/api/v2/projects/personal'],
  ['POST', '/api/v2/projects'],
  ['GET', '/api/v2/projects/:id'],
  ['PUT', '/api/v2/projects/:id'],
  ['DELETE', '/api/v2/projects/:id'],
  ['GET', '/api/v2/projects/:id/sections'],
  ['POST', '/api/v2/projects/:id/sections'],
  ['PATCH', '/api/v2/projects/:id/sections/:sectionId'],
  ['DELETE', '/api/v2/projects/:id/sections/:sectionId'],
  // 4.4 Tasks
  ['GET', '/api/v2/todo'],
  ['POST', '/api/v2/todo'],
  ['PATCH', '/api/v2/todo/:id'],
  ['DELETE', '/api/v2/todo/:id'],
  ['GET', '/api/v2/todo/search'],
  ['DELETE', '/api/v2/todo/bulk'],
  ['PATCH', '/api/v2/todo/bulk'],
  // 4.5 Tags
  ['GET', '/api/v2/tag'],
  ['POST', '/api/v2/tag'],
  ['PATCH', '/api/v2/tag/:id'],
  ['GET', '/api/v2/tag/count'],
  ['DELETE', '/api/v2/tag/bulk'],
];

/** The endpoints that need no session. */
export const open = new Set([
  'POST /api/v1/user/signup/send-otp',
  'POST /api/v1/user/signup/verify',
  'POST /api/v1/user/signin',
  'GET /api/v1/auth-check',
]);

/** Documented additions to the contract. */
export const additions: readonly [method: string, path: string][] = [
  ['POST', '/api/v1/user/password/send-otp'],
  ['POST', '/api/v1/user/password/reset'],
  ['GET', '/api/v2/todo/:id'],
  ['POST', '/api/v2/todo/:id/move'],
  ['GET', '/api/v2/todo/:id/reminders'],
  ['GET', '/api/v2/workspaces'],
  ['POST', '/api/v2/workspaces'],
  ['PUT', '/api/v2/workspaces/:id'],
  ['DELETE', '/api/v2/workspaces/:id'],
  ['DELETE', '/api/v2/workspaces/:id/members/:userId'],
  ['GET', '/api/v2/workspaces/:id/invitations'],
  ['POST', '/api/v2/workspaces/:id/invitations'],
  ['DELETE', '/api/v2/workspaces/:id/invitations/:invitationId'],
  ['GET', '/api/v2/invitations'],
  ['POST', '/api/v2/invitations/:id/accept'],
  ['POST', '/api/v2/invitations/:id/decline'],
  ['GET', '/api/v1/user/sessions'],
  ['DELETE', '/api/v1/user/sessions/:id'],
  ['DELETE', '/api/v1/user/sessions'],
  ['PATCH', '/api/v1/user/user-preferences'],
  ['DELETE', '/api/v1/user'],
  ['GET', '/api/v2/digest'],
  ['GET', '/api/v2/deliveries'],
  ['GET', '/api/v2/changes'],
  ['GET', '/api/v2/sync'],
  ['POST', '/api/v1/auth/:provider/link'],
  ['POST', '/api/v2/operations/:id/undo'],
  ['GET', '/api/v2/trash'],
  ['POST', '/api/v2/trash/restore'],
  ['GET', '/api/v2/todo/:id/history'],
];
