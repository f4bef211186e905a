import { maxLevels } from '../tasks/input.ts';
import { syncedTypes } from '../platform/entities.ts';
import { fieldOf, type EntityDiff, referenceTo, type Values } from './diffs.ts';
import { leaveDeleted, type Plan, type Present } from './plan.ts';

export const placeColumns = ['space_id', 'project_id', 'section_id', 'parent_id'];

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * Gives tasks and sections of a plan valid places: in an existing project, with their section and parent in it, on at
 * most ten levels. If the former place is no longer valid, a restored entity gets the next valid place, and a moved
 * entity does not move back. Each case is a conflict.
 */
export class PlacePlanner {
  readonly #plan: Plan;
  readonly #present: Present;
  readonly #tasks: string[];
  readonly #sections: string[];
  readonly #others: string[];
  readonly #children = new Map<string, string[]>();

  constructor(plan: Plan, present: Present, diffs: readonly EntityDiff[]) {
    this.#plan = plan;
    this.#present = present;
    const of = (type: string) => diffs.filter((diff) => diff.type === type).map(({ id }) => id);
    this.#sections = of('SECTION');
    this.#tasks = of('TASK');
    this.#others = diffs.filter(({ type }) => type !== 'SECTION' && type !== 'TASK').map(({ id }) => id);
    for (const [id, row] of present.rows) {
      const parent = textOf(row['parent_id']);
      if (parent === null) continue;
      const children = this.#children.get(parent);
      if (children) children.push(id);
      else this.#children.set(parent, [id]);
    }
  }

  settle(): void {
    for (const id of this.#sections) this.#settleSection(id);
    // Each round resets a place, so the loop ends.
    for (let isSettled = false; !isSettled;) {
      this.#moveContents();
      isSettled = this.#tasks.map((id) => this.#settleTask(id)).every(Boolean);
    }
    for (let isSettled = false; !isSettled;) isSettled = this.#tasks.map((id) => this.#settleLevel(id)).every(Boolean);
    for (const id of this.#others) this.#settleOther(id);
  }

  /**
   * Gives an entity of another kind the space of its owner. If the owner is gone, it stays deleted. So it does if the
   * owner has moved to another space, which is not locked, and which the caller may not see.
   */
  #settleOther(id: string): void {
    const { inserts, updates } = this.#plan;
    const row = inserts.get(id) ?? updates.get(id) ?? {};
    for (const column of syncedTypes.map(referenceTo).filter((each) => each in row)) {
      const owner = this.#plannedRow(textOf(row[column]));
      const isThere = !inserts.has(id) || owner?.['space_id'] === row['space_id'];
      if (owner && isThere) row['space_id'] = owner['space_id'];
      else leaveDeleted(this.#plan, id, 'what it belongs to is gone');
    }
  }

  #plannedRow(id: string | null): Values | undefined {
    if (id === null || this.#plan.deletes.has(id)) return undefined;
    return this.#plan.inserts.get(id) ?? this.#plan.updates.get(id) ?? this.#present.rows.get(id);
  }

  #conflict(id: string, column: string, reason: string): void {
    const type = this.#plan.types.get(id) ?? 'TASK';
    this.#plan.conflicts.push({ type, id, field: fieldOf(column), reason });
  }

  #isWritableProject(project: unknown, space: unknown): boolean {
    const row = this.#plannedRow(textOf(project));
    if (project === this.#present.fallback.get(String(space))) return true;
    return row !== undefined && row['space_id'] === space && this.#present.spaceIds.includes(String(space));
  }

  /** Puts an entity in the fallback project of its space. @returns whether there is one */
  #useFallbackProject(id: string, row: Values): boolean {
    const project = this.#present.fallback.get(String(row['space_id']));
    if (project === undefined) {
      leaveDeleted(this.#plan, id, 'there is no project for it any more');
      return false;
    }
    row['project_id'] = project;
    this.#conflict(id, 'project_id', 'its project is gone: it is in another one');
    return true;
  }

  #keepPlace(id: string, column: string, reason: string): void {
    const now = this.#present.rows.get(id) ?? {};
    const next = this.#plan.updates.get(id);
    if (!next) return;
    // The former order is one of the former place.
    for (const each of [...placeColumns, 'sort_key']) {
      if (each in now) next[each] = now[each];
    }
    this.#dropEmptyUpdate(id);
    this.#conflict(id, column, reason);
  }

  #dropEmptyUpdate(id: string): void {
    const { updates } = this.#plan;
    if (JSON.stringify(updates.get(id)) === JSON.stringify(this.#present.rows.get(id))) updates.delete(id);
  }

  #settleSection(id: string): void {
    const { inserts, updates } = this.#plan;
    const row = inserts.get(id) ?? updates.get(id);
    if (!row || row['project_id'] === this.#present.rows.get(id)?.['project_id']) return;
    if (this.#isWritableProject(row['project_id'], row['space_id'])) return;
    if (inserts.has(id)) this.#useFallbackProject(id, row);
    else this.#keepPlace(id, 'project_id', 'its project is gone');
  }

  /** Subtasks follow their task, and tasks their section, unless the operation moved them. */
  #moveContents(): void {
    const { updates } = this.#plan;
    // Subtasks also follow a task that keeps its place after all.
    const queue = [...this.#tasks];
    const own = new Set(this.#tasks);
    for (const [id, row] of this.#present.rows) {
      const section = this.#plannedRow(textOf(row['section_id']));
      if (own.has(id) || row['parent_id'] !== null || !section) continue;
      if (section['project_id'] !== row['project_id'] && updates.has(String(row['section_id']))) {
        this.#move(id, row, section, row['section_id']);
        queue.push(id);
      }
    }
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const above = this.#plannedRow(id);
      const before = this.#present.rows.get(id);
      for (const child of this.#children.get(id) ?? []) {
        const row = this.#present.rows.get(child);
        if (own.has(child) || !row || !above) continue;
        if (above['project_id'] === before?.['project_id']) updates.delete(child);
        else this.#move(child, row, above, above['section_id']);
        queue.push(child);
      }
    }
  }

  #move(id: string, row: Values, to: Values, section: unknown): void {
    const { project_id, space_id } = to;
    this.#plan.types.set(id, 'TASK');
    this.#plan.updates.set(id, { ...row, project_id, space_id, section_id: section });
  }

  /** @returns whether the place was valid */
  #settleTask(id: string): boolean {
    const { inserts, updates } = this.#plan;
    const isReturning = inserts.has(id);
    const row = inserts.get(id) ?? updates.get(id);
    const now = this.#present.rows.get(id);
    if (!row) return true;
    const isNew = (...columns: string[]) => columns.some((column) => row[column] !== now?.[column]);
    const parent = this.#plannedRow(textOf(row['parent_id']));
    const section = this.#plannedRow(textOf(row['section_id']));
    if (isNew('project_id') && !this.#isWritableProject(row['project_id'], row['space_id'])) {
      if (!isReturning) this.#keepPlace(id, 'project_id', 'its project is gone');
      else if (this.#useFallbackProject(id, row) && !section) row['section_id'] = null;
      return false;
    }
    const isElsewhere = section?.['project_id'] !== row['project_id'];
    if (isNew('project_id', 'section_id') && row['section_id'] !== null && isElsewhere) {
      row['section_id'] = null;
      this.#dropEmptyUpdate(id);
      this.#conflict(id, 'section_id', 'its section is gone: it has none');
      return false;
    }
    if (!isNew('project_id', 'parent_id')) return true;
    if (row['parent_id'] === null || parent?.['project_id'] === row['project_id']) return true;
    if (isReturning) {
      row['parent_id'] = null;
      this.#conflict(id, 'parent_id', 'its parent is gone: it is at the top level');
    } else this.#keepPlace(id, 'parent_id', 'its parent is gone, or in another project');
    return false;
  }

  /** @returns whether the level was valid, and the task not below itself */
  #settleLevel(id: string): boolean {
    let row = this.#plannedRow(id);
    if (!row || !(this.#plan.inserts.has(id) || this.#plan.updates.has(id))) return true;
    const height = this.#plan.inserts.has(id) ? 1 : this.#height(id);
    const above: string[] = [id];
    for (let parent = textOf(row['parent_id']); parent !== null; parent = textOf(row['parent_id'])) {
      above.push(parent);
      row = this.#plannedRow(parent);
      if (!row || above.length + height - 1 > maxLevels) break;
    }
    if (above.length + height - 1 <= maxLevels) return true;
    const culprit = above.find((each) => this.#isNewBelow(each));
    if (culprit === undefined) return true;
    const reason = 'would be below itself, or beyond ten levels';
    const returning = this.#plan.inserts.get(culprit);
    if (!returning) this.#keepPlace(culprit, 'parent_id', reason);
    else {
      returning['parent_id'] = null;
      this.#conflict(culprit, 'parent_id', `${reason}: it is at the top level`);
    }
    return false;
  }

  #isNewBelow(id: string): boolean {
    const inserted = this.#plan.inserts.get(id);
    if (inserted) {
      const parent = textOf(inserted['parent_id']);
      return parent !== null && !this.#plan.inserts.has(parent);
    }
    const updated = this.#plan.updates.get(id);
    return updated !== undefined && updated['parent_id'] !== this.#present.rows.get(id)?.['parent_id'];
  }

  /** Levels from the task down, up to the maximum. */
  #height(id: string, level = 1): number {
    if (level > maxLevels) return level;
    const children = (this.#children.get(id) ?? []).filter((child) => this.#plannedRow(child)?.['parent_id'] === id);
    return Math.max(1, ...children.map((child) => 1 + this.#height(child, level + 1)));
  }
}
