import type { Viewer } from '../kernel/context.ts';
import { cursorExpired } from '../kernel/errors.ts';
import type { Selection } from '../nested-read/read.ts';
import { entities, type SyncedKind, syncedKinds } from '../kernel/entities.ts';
import { findByIds } from '../nested-read/entities.ts';
import type { SpacePosition, SyncPosition } from './cursor.ts';
import * as data from './data.ts';
import type { RunRead, SpaceState } from './data.ts';

/** Something that is gone, or out of the caller's sight. */
export interface Tombstone {
  kind: SyncedKind;
  id: string;
}

/** What the caller selects of each kind of entity, and of their user. */
export type Selections = Record<SyncedKind | 'User', Selection>;

/** A row of any kind, with what the caller selects of it. */
interface EntityRow {
  id: string;
}

/** States of entities, each as it is in one snapshot of the database. */
export interface ReadBatch {
  /** The position of a replica that has applied it. */
  position: SyncPosition;
  /** Whether a replica is to drop all that it holds first. */
  full: boolean;
  hasMore: boolean;
  user: EntityRow | null;
  entities: Record<SyncedKind, EntityRow[]>;
  deleted: Tombstone[];
  /** The user's own idempotency keys whose effect it brings. */
  mutations: string[];
}

export interface BatchSize {
  entities: number;
  /** Whether what the log has is in it as a whole, however much that is: the bound is for spaces that are loaded, then. */
  isWhole?: boolean;
}

/**
 * Reads what comes after a position, from one snapshot of the database. The log, and the pages of spaces that are loaded, only
 * say which entities it is about; each is given as it is in the snapshot, or as deleted where the viewer does not see it. So
 * nothing depends on how often, where and in which order it changed.
 * @param since undefined for a first load
 * @param select what is selected, called with the viewer as they are in the snapshot
 * @throws CURSOR_EXPIRED
 */
export async function readBatch(
  run: RunRead,
  caller: Viewer,
  since: SyncPosition | undefined,
  size: BatchSize,
  select: (viewer: Viewer) => Selections,
): Promise<ReadBatch> {
  const spaces = await data.findSpaces(run, caller, since);
  requireSameHistory(since, spaces);
  const viewer = { ...caller, spaceIds: spaces.map(({ id }) => id) };
  const reading = new Reading(run, viewer, select(viewer), size);
  const left = leftSince(since, spaces);
  // A replica that shows no single moment may hold a task without its project: the tombstone of a workspace would not remove it. It starts
  // over.
  const isAnew = since?.isConsistent === false && left.length > 0;
  if (isAnew) return reading.read(spaces, { since: anew(since, caller.id, spaces), left: [], isFull: true });
  return reading.read(spaces, { since: since?.spaces, left, isFull: !since });
}

/** How far a space was read, and whether that is its end. */
interface Reached {
  position: SpacePosition;
  isDone: boolean;
}

/** Where reading begins. */
interface Beginning {
  /** Positions in spaces that continue; all others are loaded. */
  since: SyncPosition['spaces'] | undefined;
  /** Workspaces that are to be taken out. */
  left: readonly string[];
  isFull: boolean;
}

/** One batch as it is put together: which entities it is about, space by space, and then their states. */
class Reading {
  readonly #run: RunRead;
  readonly #viewer: Viewer;
  readonly #selections: Selections;
  /** Entities that are taken from the log of a space even where there is no room for them. */
  readonly #logSize: number;
  /** Entities for which there is room. */
  #room: number;
  /** The replica's next position in each. */
  readonly #spaces = new Map<string, SpacePosition>();
  /** Ids of the entities that the log names, by kind: whether one that the viewer does not see is deleted. */
  readonly #changed = new Map<SyncedKind, Map<string, boolean>>(syncedKinds.map((kind) => [kind, new Map()]));
  /** Rows that the batch has, by kind and id: first those that were loaded, then those of what has changed. */
  readonly #entities = new Map<SyncedKind, Map<string, EntityRow>>(syncedKinds.map((kind) => [kind, new Map()]));
  #withUser = false;

  constructor(run: RunRead, viewer: Viewer, selections: Selections, { entities, isWhole = false }: BatchSize) {
    this.#run = run;
    this.#viewer = viewer;
    this.#selections = selections;
    this.#room = entities;
    this.#logSize = isWhole ? Infinity : 0;
  }

  async read(spaces: readonly SpaceState[], { since, left, isFull }: Beginning): Promise<ReadBatch> {
    const deleted = left.map((id): Tombstone => ({ kind: 'Workspace', id }));
    if (isFull) this.#add('User', this.#viewer.id);
    let hasMore = false;
    for (const space of spaces) {
      const from = since?.get(space.id);
      // Its tombstone is in this batch, with which goes what is put in before.
      const isAgain = from !== undefined && !isSameMembership(from, space);
      const begun = from && !isAgain ? from : beginningOf(space);
      const isLater = hasMore || isAgain;
      const reached: Reached = isLater ? { position: begun, isDone: false } : await this.#readSpace(space, begun);
      this.#spaces.set(space.id, reached.position);
      hasMore ||= !reached.isDone;
    }
    await this.#readChanged(deleted);
    const user = this.#withUser ? await data.findUser(this.#run, this.#viewer.id, this.#selections.User) : null;
    const found = [...this.#entities].map(([kind, rows]) => [kind, [...rows.values()]]);
    const position = { spaces: this.#spaces, isConsistent: !hasMore };
    const mutations = await this.#findMutations(since);
    return {
      position,
      full: isFull,
      hasMore,
      user,
      entities: Object.fromEntries(found) as ReadBatch['entities'],
      deleted,
      mutations,
    };
  }

  /** A keyed mutation raises the revision of the personal space, which is read after those that its effect may be in. */
  async #findMutations(since: Beginning['since']): Promise<string[]> {
    const { id } = this.#viewer;
    const [from, to] = [since?.get(id)?.revision, this.#spaces.get(id)?.revision];
    return from === undefined || to === undefined || from === to ? [] : data.findKeys(this.#run, id, from, to);
  }

  async #readSpace(space: SpaceState, from: SpacePosition): Promise<Reached> {
    let position = await this.#load(space.id, from);
    if (position.load) return { position, isDone: false };
    if (position.related !== space.related) {
      if (this.#room <= 0) return { position, isDone: false };
      this.#addItself(space.id);
      position = { ...position, related: space.related };
    }
    return this.#readLog(space, position);
  }

  /** A space itself is a workspace, or a user. */
  #addItself(spaceId: string): void {
    this.#add(spaceId === this.#viewer.id ? 'User' : 'Workspace', spaceId);
  }

  async #load(spaceId: string, from: SpacePosition): Promise<SpacePosition> {
    let { load } = from;
    while (load && this.#room > 0) {
      const kind = syncedKinds[load.step];
      if (!kind) load = undefined;
      else if (entities[kind].space === 'id') {
        this.#addItself(spaceId);
        load = { step: load.step + 1, after: [] };
      } else {
        const take: number = this.#room;
        const page = { ...this.#selections[kind], take };
        const { rows, last } = await data.findPage(this.#run, spaceId, kind, load.after, page);
        for (const row of rows) this.#entities.get(kind)?.set(row.id, row);
        this.#room -= rows.length;
        load = rows.length < take ? { step: load.step + 1, after: [] } : { step: load.step, after: last };
      }
    }
    return { ...from, load };
  }

  async #readLog(space: SpaceState, from: SpacePosition): Promise<Reached> {
    const { revision, historyNonce } = space;
    if (from.revision === revision) return { position: from, isDone: true };
    let position = from;
    for (let room = Math.max(this.#room, this.#logSize); room > 0;) {
      let size = Math.min(room, data.logPage);
      room -= size;
      let isLast = true;
      for (const row of await data.findLog(this.#run, space.id, position.revision, revision, size)) {
        const before = row.revision - row.ids.length;
        const start = Math.max(0, position.revision - before);
        const ids = row.ids.slice(start, start + size);
        for (const id of ids) this.#add(row.kind, id, !row.isOfTags);
        size -= ids.length;
        isLast = start + ids.length === row.ids.length;
        if (ids.length > 0)
          position = { ...from, revision: before + start + ids.length, historyNonce: row.historyNonce };
      }
      if (isLast) return { position: { ...from, revision, historyNonce }, isDone: true };
    }
    return { position, isDone: false };
  }

  #add(kind: SyncedKind | 'User', id: string, isDeletedIfUnseen = true): void {
    if (kind === 'User' && this.#withUser) return;
    this.#room -= 1;
    if (kind === 'User') this.#withUser = true;
    else {
      const changed = this.#changed.get(kind);
      changed?.set(id, isDeletedIfUnseen || changed.get(id) === true);
    }
  }

  /** Reads the changed entities that were not loaded. */
  async #readChanged(deleted: Tombstone[]): Promise<void> {
    for (const [kind, changed] of this.#changed) {
      const found = this.#entities.get(kind) ?? new Map<string, EntityRow>();
      const ids = [...changed.keys()].filter((id) => !found.has(id));
      if (ids.length === 0) continue;
      const rows = await findByIds(kind, this.#viewer, ids, this.#selections[kind], this.#run);
      for (const row of rows) found.set(row.id, row);
      for (const id of ids) if (!found.has(id) && changed.get(id) === true) deleted.push({ kind, id });
    }
  }
}

const isSameMembership = (from: SpacePosition, space: SpaceState) => from.joinedAt === space.joinedAt;

/** Where the load of a space begins: what changes from now on follows from the log. */
const beginningOf = ({ revision, related, joinedAt, historyNonce }: SpaceState): SpacePosition => ({
  revision,
  related,
  joinedAt,
  historyNonce,
  load: { step: 0, after: [] },
});

/** Loads all again. The load of the personal space begins where it was read to, as its log names what is done (see `mutations`). */
function anew(since: SyncPosition, userId: string, spaces: readonly SpaceState[]): SyncPosition['spaces'] {
  const from = since.spaces.get(userId);
  const personal = spaces.find(({ id }) => id === userId);
  // Out of reach, its log names nothing.
  if (!from || !personal) return new Map();
  const { revision, historyNonce } = from;
  return new Map([[userId, { ...beginningOf(personal), revision, historyNonce }]]);
}

/** Spaces that the position names, and whose membership has ended since: it may have begun again. */
function leftSince(since: SyncPosition | undefined, spaces: readonly SpaceState[]): string[] {
  const present = new Map(spaces.map((space) => [space.id, space]));
  const left = [...(since?.spaces ?? [])].filter(([id, from]) => {
    const space = present.get(id);
    return !space || !isSameMembership(from, space);
  });
  return left.map(([id]) => id);
}

/** @throws CURSOR_EXPIRED if the log does not continue from its position in a space: it was pruned, or is another history */
function requireSameHistory(since: SyncPosition | undefined, spaces: readonly SpaceState[]): void {
  for (const space of spaces) {
    const from = since?.spaces.get(space.id);
    if (from && isSameMembership(from, space) && !space.canResume) throw cursorExpired();
  }
}
