import { diff3Merge } from 'node-diff3';

const segmentsOf = (granularity: 'sentence' | 'word') => {
  const segmenter = new Intl.Segmenter(undefined, { granularity });
  return (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);
};

/** From coarse to fine. If both sides changed a part, the next split divides that part. */
const splits = [(text: string) => text.split(/(?<=\n)/), segmentsOf('sentence'), segmentsOf('word')];

/** More parts would take too long. */
const maxParts = 600;

/** Returns undefined if both sides changed the same place. */
export function merge(
  base: string,
  mine: string,
  theirs: string,
  [split, ...finerSplits] = splits,
): string | undefined {
  if (!split) return undefined;
  const [a, o, b] = [split(mine), split(base), split(theirs)];
  if (Math.max(a.length, o.length, b.length) > maxParts) return undefined;
  const parts = diff3Merge(a, o, b).map(({ ok, conflict }) =>
    conflict ? merge(conflict.o.join(''), conflict.a.join(''), conflict.b.join(''), finerSplits) : ok?.join(''),
  );
  return parts.includes(undefined) ? undefined : parts.join('');
}
