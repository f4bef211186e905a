import { isFence } from '../platform/ids.ts';
import { text, wholeNumber } from '../platform/input.ts';

export const seconds = wholeNumber(10, 3600);

export const fence = text().refine(isFence, { error: 'must be the fence of a claim, a number of up to 18 digits' });
