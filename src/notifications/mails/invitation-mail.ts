import { link, type Mail, mailOf, paragraph } from './layout.ts';
import { nameByUser } from './text.ts';

export interface InvitationMailFacts {
  workspaceName: string;
  /** Null where they have set none. */
  inviterName: string | null;
  inviterEmail: string;
  openDays: number;
  /** Where the pages of the application are. */
  appUrl: string;
}

/** The mail of an invitation. The subject is the same for all: nobody has strangers read a text of theirs in it. */
export function invitationMail(invitation: InvitationMailFacts): Mail {
  const { inviterName, inviterEmail, openDays, appUrl } = invitation;
  const workspace = nameByUser(invitation.workspaceName);
  const inviter = inviterName === null ? inviterEmail : `${nameByUser(inviterName)} (${inviterEmail})`;
  return mailOf({
    subject: 'You are invited to a workspace on Taskgate',
    body: [
      paragraph`${inviter} invites you to the workspace "${workspace}" on Taskgate.`,
      paragraph`To accept or decline, sign in at ${link(appUrl)} with this e-mail address, or sign up with it. The invitation is open for ${String(openDays)} days.`,
      paragraph`If you do not know who invites you, ignore this mail: nobody becomes a member without accepting.`,
    ],
  });
}
