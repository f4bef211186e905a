import { type Mail, mailOf, paragraph } from './layout.ts';

/** What a user has sent to their own address, to see whether mails come there. */
export const testMail = (): Mail =>
  mailOf({
    subject: 'Test mail from Taskgate',
    body: [paragraph`This is the test mail that you asked for: mails of Taskgate come to this address.`],
  });
