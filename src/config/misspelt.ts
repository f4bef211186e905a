export interface Misspelt {
  variable: string;
  closeTo: string;
}

/** Shorter names match other programs' variables. */
const oneDifferenceFrom = 8;
const twoDifferencesFrom = 15;

/** Finds names that differ from a known one by one or two edits, the last word or the unit. */
export function misspelt(names: readonly string[], knownNames: readonly string[]): Misspelt[] {
  const unknown = names.filter((name) => !knownNames.includes(name));
  return unknown.flatMap((variable) => {
    const closeTo = [1, 2].flatMap((differences) =>
      knownNames.filter((each) => isClose(variable, each, differences)),
    )[0];
    return closeTo === undefined ? [] : [{ variable, closeTo }];
  });
}

function isClose(name: string, knownName: string, differences: number): boolean {
  const isNear = (one: string, other: string) =>
    other.length >= (differences === 1 ? oneDifferenceFrom : twoDifferencesFrom) &&
    isWithin(differences, one.toUpperCase(), other);
  // Only secrets can be in a file.
  const isAsFile = name === `${knownName}_FILE` && knownName.length >= oneDifferenceFrom;
  if (isAsFile || isNear(name, knownName)) return true;
  const stem = withoutLastWord(knownName);
  // A single word is not specific.
  if (!stem.includes('_')) return false;
  return isNear(name, stem) || (unit.test(knownName) && unit.test(name) && isNear(withoutLastWord(name), stem));
}

const unit = /_(ms|milliseconds|s|secs?|seconds|mins?|minutes|h|hours|days|bytes|[kmg]i?b)$/i;

const withoutLastWord = (name: string) => name.slice(0, Math.max(0, name.lastIndexOf('_')));

function isWithin(differences: number, one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const [left, right] = [one.slice(same), other.slice(same)];
  if (left === '' && right === '') return true;
  if (differences === 0) return false;
  const areSwapped = left[0] === right[1] && left[1] === right[0];
  return (
    isWithin(differences - 1, left.slice(1), right) ||
    isWithin(differences - 1, left, right.slice(1)) ||
    isWithin(differences - 1, left.slice(1), right.slice(1)) ||
    (areSwapped && isWithin(differences - 1, left.slice(2), right.slice(2)))
  );
}
