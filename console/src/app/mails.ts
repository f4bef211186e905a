import { texts } from '../texts.ts';

/** `smtp`, `files`, or the folder of the files. */
const mailTarget = document.querySelector<HTMLMetaElement>('meta[name=taskgate-mail]')?.content ?? 'smtp';

export function codeSentText(email: string): string {
  if (mailTarget === 'smtp') return texts.codeSent(email);
  return mailTarget === 'files' ? texts.codeInLog(texts.outbox) : texts.codeInTerminal(mailTarget);
}

export const testMailText =
  mailTarget === 'smtp'
    ? texts.testMailSent
    : texts.testMailWritten(mailTarget === 'files' ? texts.outbox : mailTarget);
