import { signal } from '@preact/signals';
import { projects } from 'taskgate-client';
import { go } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { LineField } from './line-field.tsx';
import type { Defaults } from './new-task.ts';

/** A refused line to correct. */
const refusedLine = signal<string | undefined>(undefined);

/** Uses the inbox if the page has no quick add. */
export function editLine(line: string): void {
  refusedLine.value = line;
  const [inbox] = currentReplica().read(projects.all());
  if (inbox && !document.getElementById('quick-add')) go(`/projects/${inbox.id}`);
}

/** @param defaults fields of tasks on this page */
export const QuickAdd = ({ defaults = {} }: { defaults?: Defaults }) => (
  <LineField
    id="quick-add"
    label={texts.addTask}
    placeholder={texts.addTaskExample}
    defaults={defaults}
    addition={refusedLine}
    onEscape={(field) => field.blur()}
    // Without Shift, keys go to the list again.
    onAdded={(_field, isShift) => isShift || document.querySelector('main')?.focus({ preventScroll: true })}
  />
);
