import { signal } from '@preact/signals';

/** The field to focus when details open. */
export const focusWanted = signal<'title' | 'dueDate' | undefined>(undefined);
