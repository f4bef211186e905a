import { diff3Merge } from 'node-diff3';

const segmentsOf = (granularity: 'sentence' | 'word') => {
  const segmenter = new Intl.Segmenter(undefined, { granularity });
  return (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);
};

/** From coarse to fine: a part that both have changed is merged by its own parts. */
const splits = [(text: string) => text.split(/(?<=\n)/), segmentsOf('sentence'), segmentsOf('word')];

/** More parts take longer than a user waits for. */
const mostParts = 600;

/** A text with the changes of two. @returns undefined if they are in one place */
export function merge(base: string, mine: string, theirs: string, [split, ...finer] = splits): string | undefined {
  if (!split) return undefined;
  const [a, o, b] = [split(mine), split(base), split(theirs)];
  if (Math.max(a.length, o.length, b.length) > mostParts) return undefined;
  const parts = diff3Merge(a, o, b).map(({ ok, conflict }) =>
    conflict ? merge(conflict.o.join(''), conflict.a.join(''), conflict.b.join(''), finer) : ok?.join(''),
  );
  return parts.includes(undefined) ? undefined : parts.join('');
}
