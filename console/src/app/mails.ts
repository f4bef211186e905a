import { texts } from '../texts.ts';

/** `smtp`, `files`, or the folder of the files. */
const place = document.querySelector<HTMLMetaElement>('meta[name=taskgate-mail]')?.content ?? 'smtp';

export function codeSent(email: string): string {
  if (place === 'smtp') return texts.codeSent(email);
  return place === 'files' ? texts.codeInLog(texts.outbox) : texts.codeInTerminal(place);
}

export const testMailSent =
  place === 'smtp' ? texts.testMailSent : texts.testMailWritten(place === 'files' ? texts.outbox : place);
