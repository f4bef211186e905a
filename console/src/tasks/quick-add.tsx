import { projects } from 'taskgate-client';
import { go, type Route } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { LineField, unsentLine } from './line-field.tsx';
import { type Defaults, toTitle } from './new-task.ts';

/** Uses the inbox if the page has no quick add. */
export function editLine(line: string): void {
  unsentLine.value = line;
  const [inbox] = currentReplica().read(projects.all());
  if (inbox && !document.getElementById('quick-add')) go(`/projects/${inbox.id}`);
}

/** The line gets what another app shares. `?add` asks only for the field. */
export function takeShared({ path, search }: Route): void {
  const shared = new URLSearchParams(search);
  const names = ['title', 'text', 'url', 'add'];
  if (path !== '/today' || !names.some((name) => shared.has(name))) return;
  const parts = new Set(names.map((name) => (shared.get(name) ?? '').replaceAll(/\s+/g, ' ').trim()));
  // Some apps repeat the address in the text.
  const own = [...parts].filter((part) => ![...parts].some((other) => other !== part && other.includes(part)));
  go('/today', { replace: true });
  editLine(toTitle(own.join(' ')));
}

/** @param defaults fields of tasks on this page */
export const QuickAdd = ({ defaults = {} }: { defaults?: Defaults }) => (
  <LineField
    id="quick-add"
    label={texts.addTask}
    placeholder={texts.addTaskExample}
    defaults={defaults}
    addition={unsentLine}
    onEscape={(field) => field.blur()}
    // Without Shift, keys go to the list again.
    onAdded={(_field, isShift) => isShift || document.querySelector('main')?.focus({ preventScroll: true })}
  />
);
