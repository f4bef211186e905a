import { signal } from '@preact/signals';

/** Lists then render all rows. */
export const isPrinting = signal(false);

/** The browser prints right after the event. */
export function followPrinting(): void {
  addEventListener('beforeprint', () => (isPrinting.value = true));
  addEventListener('afterprint', () => (isPrinting.value = false));
  matchMedia('print').addEventListener('change', ({ matches }) => (isPrinting.value = matches));
}
