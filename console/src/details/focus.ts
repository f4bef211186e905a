import { signal } from '@preact/signals';

/** The name of the field that is to have the focus when details are opened. */
export const focusWanted = signal<'title' | 'dueDate' | undefined>(undefined);
