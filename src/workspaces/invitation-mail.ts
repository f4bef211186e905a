import type { Message } from '../notifications/mailer.ts';
import type { InvitationFacts } from './data.ts';
import { workspaceLimits } from './policy.ts';

/** Line breaks, other control characters, and what turns the direction of the text around it. */
const unsafe = /[\s\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A name as a part of one line: it can neither begin another one nor hide what comes after it. */
const inLine = (name: string) => name.replaceAll(unsafe, ' ').trim();

/**
 * The mail of an invitation. The subject is the same for all: no text of a user stands in a header.
 * @param facts whose names are what users made them
 * @param publicUrl origin of the service as users see it
 */
export function invitationMail(to: string, facts: InvitationFacts, publicUrl: string): Message {
  const { workspaceName, inviterName, inviterEmail } = facts;
  const email = inLine(inviterEmail);
  const inviter = inviterName === null ? email : `${inLine(inviterName)} (${email})`;
  const lines = [
    `${inviter} invites you to the workspace "${inLine(workspaceName)}" on Taskgate.`,
    '',
    `To accept or decline, sign in at ${publicUrl} with this e-mail address, or sign up with it.`,
    `The invitation is open for ${workspaceLimits.invitationDays} days.`,
    '',
    'If you do not know who invites you, ignore this mail: nobody becomes a member without accepting.',
  ];
  return { to, subject: 'You are invited to a workspace on Taskgate', text: `${lines.join('\n')}\n` };
}
