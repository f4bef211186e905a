import { type Mail, mailOf, paragraph } from './layout.ts';

/** To the user's own address. */
export const testMail = (): Mail =>
  mailOf({
    subject: 'Test mail from Taskgate',
    body: [paragraph`This is the test mail that you asked for. Mails from Taskgate reach this address.`],
  });
