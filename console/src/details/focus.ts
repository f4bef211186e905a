import { signal } from '@preact/signals';

/** The field to focus when details open. */
export const requestedField = signal<'title' | 'dueDate' | undefined>(undefined);
