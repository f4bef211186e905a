import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { discardDraft, draftText } from './drafts.ts';

/** Texts that the user began in fields that are gone: the task was deleted, or the role does not suffice any more. */
export const UnsentTexts = ({ id, fields }: { id: string; fields: readonly ('comment' | 'subtask')[] }) =>
  fields
    .filter((field) => draftText(id, field)?.trim())
    .map((field) => (
      <section key={field} class="part" aria-label={texts.unsent}>
        <p class="hint">{texts.unsent}</p>
        <p class="plain" dir="auto">
          {draftText(id, field)}
        </p>
        <Button text={texts.dismiss} onClick={() => discardDraft(id, field)} />
      </section>
    ));
