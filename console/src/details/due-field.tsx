import { dueDay, RuleError, type Task, type UpdateTaskInput } from 'taskgate-client';
import { formatDay, momentOf } from '../app/days.ts';
import { withDueDay } from '../app/due.ts';
import { setRecurrence } from '../app/recurrence.ts';
import { readLine } from '../tasks/new-task.ts';
import { texts } from '../texts.ts';
import { SavedField } from '../ui/saved-field.tsx';

/** Reads a line without a title. Some days, such as "wed", need the "on". */
const readDue = (text: string, dueDate: string | null) =>
  [text, `on ${text}`]
    .map((line) => readLine(line, { dueDate }))
    .find(({ title, tokens }) => title === '' && tokens.every(({ kind }) => kind === 'date' || kind === 'repeat'))
    ?.tokens;

/** Takes the words of quick add: a day, a time, or a rule. @param onSave may ask first */
export function DueField({ task, onSave }: { task: Task; onSave: (input: UpdateTaskInput) => unknown }) {
  const day = dueDay(task);
  const save = (text: string) => {
    if (text.trim() === '') onSave(withDueDay(task, null));
    else {
      const tokens = readDue(text, day);
      if (!tokens) throw new RuleError(texts.unclearDate, 'dueDate');
      let due: UpdateTaskInput = {};
      for (const token of tokens) {
        if (token.kind !== 'date') continue;
        const { day: dueDate, time } = token;
        due = withDueDay(task, dueDate);
        if (time !== undefined) due = { dueDate, dueTime: momentOf(dueDate, time).toISOString(), isAllDay: false };
      }
      const repeat = tokens.find((token) => token.kind === 'repeat');
      if (repeat) setRecurrence(task, repeat.recurrence, { ...withDueDay(task, repeat.day), ...due });
      else if (due.dueDate !== day || due.isAllDay === false) onSave(due);
    }
    // The field shows the day of the task again.
    return false;
  };
  return (
    <SavedField
      label={texts.dueDate}
      name="dueDate"
      placeholder={texts.dateExample}
      autocomplete="off"
      maxLength={100}
      value={day === null ? '' : formatDay(day)}
      onFocus={({ currentTarget }) => currentTarget.select()}
      onSave={save}
    />
  );
}
