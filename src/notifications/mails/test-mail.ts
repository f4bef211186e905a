import { type Mail, mailOf, paragraph } from './layout.ts';

/** Mail that users send to their own address. */
export const testMail = (): Mail =>
  mailOf({
    subject: 'Test mail from Taskgate',
    body: [paragraph`This is the test mail that you asked for. Mails from Taskgate reach this address.`],
  });
