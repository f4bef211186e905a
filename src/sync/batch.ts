import type { Selection } from '@taskgate/nested-read';
import type { Viewer } from '../platform/context.ts';
import { cursorExpired } from '../platform/errors.ts';
import { entities, type SyncedKind, syncedKinds } from '../platform/entities.ts';
import { findByIds } from '../platform/visible-entities.ts';
import type { SpacePosition, SyncPosition } from './cursor.ts';
import * as data from './data.ts';
import type { Snapshot, SpaceState } from './data.ts';

/** An entity that was deleted, or that the caller no longer sees. */
export interface Tombstone {
  kind: SyncedKind;
  id: string;
}

export type Selections = Record<SyncedKind | 'User', Selection>;

interface EntityRow {
  id: string;
}

/** Entities from one snapshot. */
export interface ReadBatch {
  /** The replica's next position. */
  position: SyncPosition;
  /** Whether to discard all data first. */
  full: boolean;
  hasMore: boolean;
  user: EntityRow | null;
  entities: Record<SyncedKind, EntityRow[]>;
  deleted: Tombstone[];
  /** The user's idempotency keys whose effects it contains. */
  mutations: string[];
}

export interface BatchSize {
  entities: number;
  /** Whether the whole log must fit. `entities` then limits only loads. */
  isWhole?: boolean;
}

/**
 * Reads the next batch from one snapshot. The log and loaded pages only name entities. States come from the snapshot;
 * invisible entities become tombstones. The number and order of changes do not matter.
 * @param select called with the viewer of the snapshot
 * @throws CURSOR_EXPIRED
 */
export async function readBatch(
  run: Snapshot,
  caller: Viewer,
  since: SyncPosition | undefined,
  size: BatchSize,
  select: (viewer: Viewer) => Selections,
): Promise<ReadBatch> {
  const spaces = await data.findSpaces(run, caller, since);
  requireSameHistory(since, spaces, caller.id);
  const reachedSpaces = spaces.filter(({ id }) => reaches(caller, id));
  const roles = new Map(reachedSpaces.map(({ id, role }) => [id, role]));
  const viewer = { ...caller, spaceIds: [...roles.keys()], roles };
  const reading = new Reading(run, viewer, select(viewer), size);
  const left = leftSince(since, spaces);
  // An inconsistent replica starts over: it may hold a task without its project, which a workspace's tombstone would
  // not remove. So does the replica of a credential that begins or ceases to reach the personal space: the tags of its
  // tasks in workspaces change.
  const mustRestart = since && left.length > 0 && (!since.isConsistent || left.includes(caller.id));
  if (mustRestart)
    return reading.read(spaces, { since: restartPositions(since, caller.id, spaces), left: [], isFull: true });
  return reading.read(spaces, { since: since?.spaces, left, isFull: !since });
}

interface Reached {
  position: SpacePosition;
  isDone: boolean;
}

interface Beginning {
  /** Other spaces load from the start. */
  since: SyncPosition['spaces'] | undefined;
  /** Workspaces to remove. */
  left: readonly string[];
  isFull: boolean;
}

class Reading {
  readonly #run: Snapshot;
  readonly #viewer: Viewer;
  readonly #selections: Selections;
  /** Entities read from a space's log even without room. */
  readonly #logSize: number;
  #room: number;
  readonly #spaces = new Map<string, SpacePosition>();
  /** By kind and id: whether the entity counts as deleted if it is invisible. */
  readonly #changed = new Map<SyncedKind, Map<string, boolean>>(syncedKinds.map((kind) => [kind, new Map()]));
  /** Loaded rows, then changed ones. */
  readonly #entities = new Map<SyncedKind, Map<string, EntityRow>>(syncedKinds.map((kind) => [kind, new Map()]));
  #withUser = false;

  constructor(run: Snapshot, viewer: Viewer, selections: Selections, { entities, isWhole = false }: BatchSize) {
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
      // The tombstone in this batch would also remove newly loaded entities.
      const isRejoined = from !== undefined && !isSameMembership(from, space);
      const begun = from && !isRejoined ? from : beginningOf(space);
      const isLater = hasMore || isRejoined;
      const reached: Reached = isLater ? { position: begun, isDone: false } : await this.#readSpace(space, begun);
      this.#spaces.set(space.id, reached.position);
      hasMore ||= !reached.isDone;
    }
    await this.#readChanged(deleted);
    const user = this.#withUser
      ? await data.findUser(this.#viewer.connections, this.#run, this.#viewer.id, this.#selections.User)
      : null;
    const lists = [...this.#entities].map(([kind, rows]) => [kind, [...rows.values()]]);
    const position = { spaces: this.#spaces, isConsistent: !hasMore };
    const mutations = await this.#findMutations(since);
    return {
      position,
      full: isFull,
      hasMore,
      user,
      entities: Object.fromEntries(lists) as ReadBatch['entities'],
      deleted,
      mutations,
    };
  }

  /** A keyed mutation raises the revision of the personal space, which is read last. */
  async #findMutations(since: Beginning['since']): Promise<string[]> {
    const viewer = this.#viewer;
    const [from, to] = [since?.get(viewer.id)?.revision, this.#spaces.get(viewer.id)?.revision];
    return from === undefined || to === undefined || from === to ? [] : data.findKeys(this.#run, viewer, from, to);
  }

  async #readSpace(space: SpaceState, from: SpacePosition): Promise<Reached> {
    if (!reaches(this.#viewer, space.id)) return this.#readAccount(space, from);
    let position = await this.#load(space.id, from);
    if (position.load) return { position, isDone: false };
    if (position.related !== space.related) {
      if (this.#room <= 0) return { position, isDone: false };
      this.#addItself(space.id);
      position = { ...position, related: space.related };
    }
    return this.#readLog(space, position);
  }

  /** Of a personal space out of reach, the user alone. */
  async #readAccount({ id, related, revision, historyNonce }: SpaceState, from: SpacePosition): Promise<Reached> {
    const isChanged = from.related !== related || (await data.isUserChanged(this.#run, id, from.revision, revision));
    if (isChanged) this.#addItself(id);
    return { position: { ...from, related, revision, historyNonce }, isDone: true };
  }

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
        const { rows, last } = await data.findPage(
          this.#viewer.connections,
          this.#run,
          spaceId,
          kind,
          load.after,
          page,
        );
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
        if (!row.isOfComments) for (const id of ids) this.#add(row.kind, id, !row.isOfTags);
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

  /** Skips loaded entities. */
  async #readChanged(deleted: Tombstone[]): Promise<void> {
    for (const [kind, changed] of this.#changed) {
      const loaded = this.#entities.get(kind) ?? new Map<string, EntityRow>();
      const ids = [...changed.keys()].filter((id) => !loaded.has(id));
      if (ids.length === 0) continue;
      const rows = await findByIds(kind, this.#viewer, ids, this.#selections[kind], this.#run);
      for (const row of rows) loaded.set(row.id, row);
      for (const id of ids) if (!loaded.has(id) && changed.get(id) === true) deleted.push({ kind, id });
    }
  }
}

/** A credential may lack the personal space. */
const reaches = ({ id, inboxId }: Viewer, spaceId: string) => spaceId !== id || inboxId !== null;

const isSameMembership = (from: SpacePosition, space: SpaceState) => from.joinedAt === space.joinedAt;

/** The log covers changes during the load. */
const beginningOf = ({ revision, related, joinedAt, historyNonce }: SpaceState): SpacePosition => ({
  revision,
  related,
  joinedAt,
  historyNonce,
  load: { step: 0, after: [] },
});

/** Restarts all loads. The personal space keeps its revision, for the mutations in its log. */
function restartPositions(since: SyncPosition, userId: string, spaces: readonly SpaceState[]): SyncPosition['spaces'] {
  const from = since.spaces.get(userId);
  const personal = spaces.find(({ id }) => id === userId);
  if (!from || !personal) return new Map();
  const { revision, historyNonce } = from;
  return new Map([[userId, { ...beginningOf(personal), revision, historyNonce }]]);
}

/** Spaces whose membership has ended, even if it has begun again. */
function leftSince(since: SyncPosition | undefined, spaces: readonly SpaceState[]): string[] {
  const present = new Map(spaces.map((space) => [space.id, space]));
  const left = [...(since?.spaces ?? [])].filter(([id, from]) => {
    const space = present.get(id);
    return !space || !isSameMembership(from, space);
  });
  return left.map(([id]) => id);
}

/** @throws CURSOR_EXPIRED */
function requireSameHistory(since: SyncPosition | undefined, spaces: readonly SpaceState[], userId: string): void {
  for (const space of spaces) {
    const from = since?.spaces.get(space.id);
    if (from && (space.id === userId || isSameMembership(from, space)) && !space.canResume) throw cursorExpired();
  }
}
