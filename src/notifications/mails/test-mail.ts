import { type Mail, mailOf, paragraph } from './layout.ts';

/** Sent to the user's own address, to test delivery. */
export const testMail = (): Mail =>
  mailOf({
    subject: 'Test mail from Taskgate',
    body: [paragraph`This is the test mail that you asked for. Mails from Taskgate reach this address.`],
  });
