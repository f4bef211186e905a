import type { Request } from 'express';

const heldTags = ({ headers }: Request) => (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim());

/** Whether `If-None-Match` names the state among its entity tags, compared weakly (RFC 9110, 13.1.2). */
export const holds = (request: Request, state: string) =>
  heldTags(request).some((tag) => tag.replace(/^W\//, '') === state);

/** Whether it is `*`: any state of what exists, so that it says nothing before that is known. */
export const holdsAny = (request: Request) => heldTags(request).includes('*');

/** Whether the client holds what would be sent: 304. */
export const isHeld = (request: Request, state: string) => holds(request, state) || holdsAny(request);
