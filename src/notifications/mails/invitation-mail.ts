import { link, type Mail, mailOf, paragraph } from './layout.ts';
import { nameByUser } from './text.ts';

interface InvitationMailFacts {
  workspaceName: string;
  inviterName: string | null;
  inviterEmail: string;
  openDays: number;
  appUrl: string;
}

/** The subject is fixed, so nobody can send their own text to strangers. */
export function invitationMail(invitation: InvitationMailFacts): Mail {
  const { inviterName, inviterEmail, openDays, appUrl } = invitation;
  const workspace = nameByUser(invitation.workspaceName);
  const inviter = inviterName === null ? inviterEmail : `${nameByUser(inviterName)} (${inviterEmail})`;
  return mailOf({
    subject: 'You are invited to a workspace on Taskgate',
    body: [
      paragraph`${inviter} invites you to the workspace "${workspace}" on Taskgate.`,
      paragraph`To accept or decline, sign in at ${link(appUrl)} with this e-mail address, or sign up with it. The invitation is open for ${String(openDays)} days.`,
      paragraph`If you do not know who invites you, ignore this mail. Nobody becomes a member without accepting.`,
    ],
  });
}
