import { recurrence } from './recurrence-survivors.ts';

/** Mutants that no test finds, since they do the same as the rule. */
export interface Explanation {
  /** First line of the rule, and what mutants make of it. */
  was: string;
  is: readonly string[];
  why: string;
}

const unknownId = 'An id without a row is skipped.';
const typesKnown = 'Only the types need the default: the plan knows the type of each entity.';
const onlyForTypes = 'Only the types need the check: groups of rows are never empty.';
const nanIsNoRoom = 'The character after the last one is NaN, which no comparison accepts.';
const bothNullEarlier = 'Two ends of a list have a generated key, which the lines above return.';

/** By file. */
export const explanations: Readonly<Record<string, readonly Explanation[]>> = {
  ...recurrence,
  'src/platform/sort-key.ts': [
    {
      was: '} catch {',
      is: ['} catch {}'],
      why: 'The callers treat undefined like false.',
    },
    {
      was: 'for (let index = 0; index < key.length; index += 1) {',
      is: ['for (let index = 0; index <= key.length; index += 1) {'],
      why: nanIsNoRoom,
    },
    {
      was: 'for (let index = 0; index < before.length; index += 1) {',
      is: ['for (let index = 0; index <= before.length; index += 1) {'],
      why: 'One more digit of two equal keys leaves no room either.',
    },
    {
      was: 'if ((after === null || isCanonical(after)) && (before === null || isCanonical(before))) {',
      is: [
        'if ((false || isCanonical(after)) && (before === null || isCanonical(before))) {',
        'if ((after === null || isCanonical(after)) && (false || isCanonical(before))) {',
      ],
      why: 'The library accepts null as a key, and any key follows it: null is canonical too.',
    },
    {
      was: "return after === null || after < 'a0' ? 'a0' : successor(after);",
      is: ["return false || after < 'a0' ? 'a0' : successor(after);"],
      why: bothNullEarlier,
    },
    {
      was: "return after === null || after < 'a0' ? 'a0' : successor(after);",
      is: ["return after === null || after <= 'a0' ? 'a0' : successor(after);"],
      why: "'a0' is a generated key, which the lines above follow.",
    },
  ],
  'client/src/replica/sort-key.ts': [
    {
      was: "if (head >= 'a' && head <= 'z') return head.charCodeAt(0) - 'a'.charCodeAt(0) + 2;",
      is: ["if (head >= 'a' && true) return head.charCodeAt(0) - 'a'.charCodeAt(0) + 2;"],
      why: 'Canonical keys have no character after z.',
    },
    {
      was: "if (head >= 'A' && head <= 'Z') return 'Z'.charCodeAt(0) - head.charCodeAt(0) + 2;",
      is: ["if (head >= 'A' && true) return 'Z'.charCodeAt(0) - head.charCodeAt(0) + 2;"],
      why: 'Canonical keys have no character between Z and a.',
    },
    {
      was: "if (before === null) return after === null || after < 'a0' ? 'a0' : successor(after);",
      is: ["if (before === null) return false || after < 'a0' ? 'a0' : successor(after);"],
      why: bothNullEarlier,
    },
    {
      was: "if (before === null) return after === null || after < 'a0' ? 'a0' : successor(after);",
      is: ["if (before === null) return after === null || after <= 'a0' ? 'a0' : successor(after);"],
      why: "'a0' is a generated key, which the caller follows.",
    },
    {
      was: 'for (let index = 0; index < before.length; index += 1) {',
      is: ['for (let index = 0; index <= before.length; index += 1) {'],
      why: 'One more character of two equal keys leaves no room either.',
    },
    {
      was: 'for (let index = 0; index < key.length; index += 1) {',
      is: ['for (let index = 0; index <= key.length; index += 1) {'],
      why: nanIsNoRoom,
    },
  ],
  'src/changes/log/merge.ts': [
    {
      was: 'if (!first) return undefined;',
      is: ['if (false) return undefined;'],
      why: onlyForTypes,
    },
    {
      was: 'point: rows.map(pointOf).reduce((least, each) => (comparePoints(each, least) < 0 ? each : least)),',
      is: ['point: rows.map(pointOf).reduce((least, each) => (comparePoints(each, least) <= 0 ? each : least)),'],
      why: 'Rows with the same space and revision have the same point.',
    },
    {
      was: 'const before: State = { exists: false, projectId: undefined };',
      is: ['const before: State = {};'],
      why: 'Undefined counts as false.',
    },
    {
      was: 'const after: State = { exists: false, projectId: undefined };',
      is: ['const after: State = {};'],
      why: 'Undefined counts as false.',
    },
    {
      was: "if (turns[0]?.kind === 'DELETED') Object.assign(before, { exists: true, projectId: firstProject(own) });",
      is: ["if (turns[0].kind === 'DELETED') Object.assign(before, { exists: true, projectId: firstProject(own) });"],
      why: onlyForTypes,
    },
    {
      was: "if (turns.at(-1)?.kind === 'CREATED') Object.assign(after, { exists: true, projectId: own.at(-1)?.projectId });",
      is: [
        "if (turns.at(-1).kind === 'CREATED') Object.assign(after, { exists: true, projectId: own.at(-1)?.projectId });",
        "if (turns.at(-1)?.kind === 'CREATED') Object.assign(after, { exists: true, projectId: own.at(-1).projectId });",
      ],
      why: onlyForTypes,
    },
    {
      was: 'after: { exists: true, projectId: own.at(-1)?.projectId },',
      is: ['after: { exists: true, projectId: own.at(-1).projectId },'],
      why: onlyForTypes,
    },
    {
      was: 'const firstProject = ([first]: LogRow[]) => first?.previousProjectId ?? first?.projectId;',
      is: [
        'const firstProject = ([first]: LogRow[]) => first.previousProjectId ?? first?.projectId;',
        'const firstProject = ([first]: LogRow[]) => first?.previousProjectId ?? first.projectId;',
      ],
      why: onlyForTypes,
    },
  ],
  'src/platform/policy.ts': [
    {
      was: "const order: readonly Rights[] = ['read', 'write', 'all'];",
      is: ["const order: readonly Rights[] = [\"\", 'write', 'all'];"],
      why: 'A missing entry has the index -1, which is below the others too.',
    },
    {
      was: 'return role !== undefined && isAtLeast(role, needed);',
      is: ['return true && isAtLeast(role, needed);'],
      why: 'Undefined has the index -1 among the roles, which is below each of them.',
    },
  ],
  'src/platform/token-rights.ts': [
    {
      was: "if (mutationsByReader.has(mutation)) return 'read';",
      is: ['if (mutationsByReader.has(mutation)) return "";'],
      why: 'A missing entry has the index -1 among the rights, which each credential has.',
    },
  ],
  'src/notifications/times.ts': [
    {
      was: 'const later = (date: string, other: string) => (date > other ? date : other);',
      is: ['const later = (date: string, other: string) => (date >= other ? date : other);'],
      why: 'Of two equal dates, either is the later one.',
    },
  ],
  'src/history/place-planner.ts': [
    {
      was: "const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);",
      is: ['const textOf = (value: unknown): string | null => (true ? value : null);'],
      why: 'Columns of ids have text or null.',
    },
    {
      was: "const children = (this.#children.get(id) ?? []).filter((child) => this.#plannedRow(child)?.['parent_id'] === id);",
      is: [
        'const children = (this.#children.get(id) ?? ["Stryker was here"]).filter((child) => this.#plannedRow(child)?.[\'parent_id\'] === id);',
      ],
      why: unknownId,
    },
    {
      was: 'for (const child of this.#children.get(id) ?? []) {',
      is: ['for (const child of this.#children.get(id) ?? ["Stryker was here"]) {'],
      why: unknownId,
    },
    {
      was: "const type = this.#plan.types.get(id) ?? 'TASK';",
      is: ['const type = this.#plan.types.get(id) ?? "";'],
      why: typesKnown,
    },
    {
      was: "if (!isNew('project_id', 'parent_id')) return true;",
      is: ['if (false) return true;'],
      why: 'A task that keeps its place is in the project of its parent: they move together.',
    },
    {
      was: 'if (!next) return;',
      is: ['if (false) return;'],
      why: 'Only the types need the check: the caller has found a planned update.',
    },
    {
      was: 'if (!row || !(this.#plan.inserts.has(id) || this.#plan.updates.has(id))) return true;',
      is: [
        'if (!row && !(this.#plan.inserts.has(id) || this.#plan.updates.has(id))) return true;',
        'if (!row || !(true)) return true;',
      ],
      why: 'The check saves time: a task without a planned change has no new place above it.',
    },
    {
      was: 'if (!row || above.length + height - 1 > maxLevels) break;',
      is: ['if (!row || above.length - height - 1 > maxLevels) break;'],
      why: 'The loop ends some levels later, with the same decision.',
    },
    {
      was: "if (!row || row['project_id'] === this.#present.rows.get(id)?.['project_id']) return;",
      is: [
        'if (!row || false) return;',
        'if (!row || row[\'project_id\'] === this.#present.rows.get(id)?.[""]) return;',
      ],
      why: 'The check saves time: the present project of a section is valid.',
    },
    {
      was: "if (above['project_id'] === before?.['project_id']) updates.delete(child);",
      is: ["if (above['project_id'] === before['project_id']) updates.delete(child);"],
      why: 'Only the types need the check: a task with subtasks has a present row.',
    },
    {
      was: 'if (id === null || this.#plan.deletes.has(id)) return undefined;',
      is: ['if (false || this.#plan.deletes.has(id)) return undefined;'],
      why: 'Only the types need the check: no row has the id null.',
    },
    {
      was: 'if (level > maxLevels) return level;',
      is: ['if (false) return level;', 'if (level >= maxLevels) return level;'],
      why: 'The bound saves time: a subtree of ten levels never fits below another task.',
    },
    {
      was: 'return Math.max(1, ...children.map((child) => 1 + this.#height(child, level + 1)));',
      is: ['return Math.max(1, ...children.map((child) => 1 + this.#height(child, level - 1)));'],
      why: 'The bound saves time: a subtree of ten levels never fits below another task.',
    },
    {
      was: "if (own.has(id) || row['parent_id'] !== null || !section) continue;",
      is: ['if (own.has(id) || false || !section) continue;'],
      why: 'Subtasks follow their task to the same place.',
    },
    {
      was: 'if (parent === null) continue;',
      is: ['if (false) continue;'],
      why: 'No id is null, so nobody reads the subtasks of null.',
    },
    {
      was: 'return false;',
      is: ['return true;'],
      why: 'The caller has no section to clear: the entity is no longer planned.',
    },
    {
      was: 'return parent !== null && !this.#plan.inserts.has(parent);',
      is: ['return true && !this.#plan.inserts.has(parent);'],
      why: 'At least one task has a new parent if there are too many levels.',
    },
    {
      was: "return updated !== undefined && updated['parent_id'] !== this.#present.rows.get(id)?.['parent_id'];",
      is: ["return updated !== undefined && updated['parent_id'] !== this.#present.rows.get(id)['parent_id'];"],
      why: 'Only the types need the check: an updated task has a present row.',
    },
  ],
  'src/history/undo-plan.ts': [
    {
      was: 'if (deletes.size === 0) return [];',
      is: ['if (false) return [];'],
      why: 'The check saves time: without deletions, no container is deleted.',
    },
    {
      was: "if (isSame('assignee_ids', are, became)) return were;",
      is: ['if (isSame("", are, became)) return were;'],
      why: 'Lists of ids are compared as they are, whatever the column.',
    },
  ],
  'src/tasks/placement.ts': [
    {
      was: 'if (parentId !== null && (placement.parentLevel ?? 0) >= maxLevels) {',
      is: ['if (true && (placement.parentLevel ?? 0) >= maxLevels) {'],
      why: 'Without a parent, there is no level of a parent.',
    },
    {
      was: 'references.projectId !== null && projectSpaceId !== null',
      is: [
        'references.projectId !== null && true',
        'references.projectId !== null || projectSpaceId !== null',
        'true && projectSpaceId !== null',
      ],
      why: 'Only the types need both checks: a named project without a space is an error above.',
    },
  ],
};
