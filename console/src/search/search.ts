/** The search page loads this module when it first opens. */
export { partsOf } from './parts.ts';
export { WordIndex } from './word-index.ts';
export { wordsOf } from './words.ts';
