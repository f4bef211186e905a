/** Mutants that no test finds, since they do the same as the rule. */
export interface Explanation {
  file: string;
  /** First line of the rule, and what mutants make of it. */
  was: string;
  is: readonly string[];
  why: string;
}

const sortKey = 'src/platform/sort-key.ts';
const clientSortKey = 'client/src/replica/sort-key.ts';
const mergedChanges = 'src/changes/log/merge.ts';

const onlyForTypes = 'Only the types need the check: groups of rows are never empty.';
const nanIsNoRoom = 'The character after the last one is NaN, which no comparison accepts.';
const bothNullEarlier = 'Two ends of a list have a generated key, which the lines above return.';

export const explanations: readonly Explanation[] = [
  {
    file: sortKey,
    was: '} catch {',
    is: ['} catch {}'],
    why: 'The callers treat undefined like false.',
  },
  {
    file: sortKey,
    was: 'for (let index = 0; index < key.length; index += 1) {',
    is: ['for (let index = 0; index <= key.length; index += 1) {'],
    why: nanIsNoRoom,
  },
  {
    file: sortKey,
    was: 'for (let index = 0; index < before.length; index += 1) {',
    is: ['for (let index = 0; index <= before.length; index += 1) {'],
    why: 'One more digit of two equal keys leaves no room either.',
  },
  {
    file: sortKey,
    was: 'if ((after === null || isCanonical(after)) && (before === null || isCanonical(before))) {',
    is: [
      'if ((false || isCanonical(after)) && (before === null || isCanonical(before))) {',
      'if ((after === null || isCanonical(after)) && (false || isCanonical(before))) {',
    ],
    why: 'The library accepts null as a key, and any key follows it: null is canonical too.',
  },
  {
    file: sortKey,
    was: "return after === null || after < 'a0' ? 'a0' : successor(after);",
    is: ["return false || after < 'a0' ? 'a0' : successor(after);"],
    why: bothNullEarlier,
  },
  {
    file: sortKey,
    was: "return after === null || after < 'a0' ? 'a0' : successor(after);",
    is: ["return after === null || after <= 'a0' ? 'a0' : successor(after);"],
    why: "'a0' is a generated key, which the lines above follow.",
  },
  {
    file: clientSortKey,
    was: 'if (after !== null && before !== null && after >= before) return null;',
    is: ['if (true && before !== null && after >= before) return null;'],
    why: 'Null is less than every key: JavaScript compares numbers, and a key is NaN or at least 0.',
  },
  {
    file: clientSortKey,
    was: "if (head >= 'a' && head <= 'z') return head.charCodeAt(0) - 'a'.charCodeAt(0) + 2;",
    is: ["if (head >= 'a' && true) return head.charCodeAt(0) - 'a'.charCodeAt(0) + 2;"],
    why: 'Canonical keys have no character after z.',
  },
  {
    file: clientSortKey,
    was: "if (head >= 'A' && head <= 'Z') return 'Z'.charCodeAt(0) - head.charCodeAt(0) + 2;",
    is: ["if (head >= 'A' && true) return 'Z'.charCodeAt(0) - head.charCodeAt(0) + 2;"],
    why: 'Canonical keys have no character between Z and a.',
  },
  {
    file: clientSortKey,
    was: "if (before === null) return after === null || after < 'a0' ? 'a0' : successor(after);",
    is: ["if (before === null) return false || after < 'a0' ? 'a0' : successor(after);"],
    why: bothNullEarlier,
  },
  {
    file: clientSortKey,
    was: "if (before === null) return after === null || after < 'a0' ? 'a0' : successor(after);",
    is: ["if (before === null) return after === null || after <= 'a0' ? 'a0' : successor(after);"],
    why: "'a0' is a generated key, which the caller follows.",
  },
  {
    file: clientSortKey,
    was: 'for (let index = 0; index < before.length; index += 1) {',
    is: ['for (let index = 0; index <= before.length; index += 1) {'],
    why: 'One more character of two equal keys leaves no room either.',
  },
  {
    file: clientSortKey,
    was: 'for (let index = 0; index < key.length; index += 1) {',
    is: ['for (let index = 0; index <= key.length; index += 1) {'],
    why: nanIsNoRoom,
  },
  {
    file: mergedChanges,
    was: 'if (!first) return undefined;',
    is: ['if (false) return undefined;'],
    why: onlyForTypes,
  },
  {
    file: mergedChanges,
    was: 'row: rows.map(pointOf).reduce((least, key) => (compareRows(key, least) < 0 ? key : least)),',
    is: ['row: rows.map(pointOf).reduce((least, key) => (compareRows(key, least) <= 0 ? key : least)),'],
    why: 'Rows with the same space and revision have the same point.',
  },
  {
    file: mergedChanges,
    was: 'const before: State = { exists: false, projectId: undefined };',
    is: ['const before: State = {};'],
    why: 'Undefined counts as false.',
  },
  {
    file: mergedChanges,
    was: 'const after: State = { exists: false, projectId: undefined };',
    is: ['const after: State = {};'],
    why: 'Undefined counts as false.',
  },
  {
    file: mergedChanges,
    was: "if (turns[0]?.kind === 'DELETED') Object.assign(before, { exists: true, projectId: firstProject(own) });",
    is: ["if (turns[0].kind === 'DELETED') Object.assign(before, { exists: true, projectId: firstProject(own) });"],
    why: onlyForTypes,
  },
  {
    file: mergedChanges,
    was: "if (turns.at(-1)?.kind === 'CREATED') Object.assign(after, { exists: true, projectId: own.at(-1)?.projectId });",
    is: [
      "if (turns.at(-1).kind === 'CREATED') Object.assign(after, { exists: true, projectId: own.at(-1)?.projectId });",
      "if (turns.at(-1)?.kind === 'CREATED') Object.assign(after, { exists: true, projectId: own.at(-1).projectId });",
    ],
    why: onlyForTypes,
  },
  {
    file: mergedChanges,
    was: 'after: { exists: true, projectId: own.at(-1)?.projectId },',
    is: ['after: { exists: true, projectId: own.at(-1).projectId },'],
    why: onlyForTypes,
  },
  {
    file: mergedChanges,
    was: 'const firstProject = ([first]: LogRow[]) => first?.previousProjectId ?? first?.projectId;',
    is: [
      'const firstProject = ([first]: LogRow[]) => first.previousProjectId ?? first?.projectId;',
      'const firstProject = ([first]: LogRow[]) => first?.previousProjectId ?? first.projectId;',
    ],
    why: onlyForTypes,
  },
  {
    file: 'src/platform/policy.ts',
    was: "const order: readonly Rights[] = ['read', 'write', 'all'];",
    is: ["const order: readonly Rights[] = [\"\", 'write', 'all'];"],
    why: 'A missing entry has the index -1, which is below the others too.',
  },
  {
    file: 'src/platform/policy.ts',
    was: 'export const rolesWithRightsOf = (role: Role): readonly Role[] => roles.slice(roles.indexOf(role));',
    is: ['export const rolesWithRightsOf = (role: Role): readonly Role[] => roles;'],
    why: 'There is only one role.',
  },
  {
    file: 'src/notifications/times.ts',
    was: 'const later = (date: string, other: string) => (date > other ? date : other);',
    is: ['const later = (date: string, other: string) => (date >= other ? date : other);'],
    why: 'Of two equal dates, either is the later one.',
  },
];
