import { signal } from '@preact/signals';

/** The open dialog of the keys or of the palette. */
export const openSheet = signal<'keys' | 'commands' | undefined>(undefined);

/** Keeps a sheet that opened since. */
export const closeSheet = (sheet: 'keys' | 'commands'): void => {
  if (openSheet.value === sheet) openSheet.value = undefined;
};
