import pRetry from 'p-retry';
import { until } from '../kit/until.ts';
import type { Effect, Effects, RunSql } from './effects.ts';
import type { SentWrite } from './load.ts';

/** The begin or end of a claim, in one order with the effects. */
export interface ClaimEvent {
  number: number;
  transaction: string;
  kind: 'BEGUN' | 'ENDED';
  fence: string;
  taskId: string;
  /** The holder. */
  userId: string;
}

const newEvents = `
  SELECT number::float8, transaction::text, kind, fence::text, task_id AS "taskId", user_id AS "userId"
  FROM load.claims WHERE number > $1 ORDER BY number`;

/** Claims whose begin or end is not in the log. */
const unlogged = `
  SELECT fence FROM load.claims AS event WHERE NOT EXISTS (
    SELECT FROM task_changes AS change
    WHERE change.transaction_id = event.transaction::text::bigint AND event.task_id = ANY (change.task_ids)
      AND (change.kind <> 'UPDATED' OR 'claim' = ANY (change.fields))
  )`;

/** Lets the time of half the claims pass. The others last until they are ended. */
const settle = `
  UPDATE claims SET expires_at = now() + CASE WHEN fence % 2 = 0 THEN interval '0' ELSE interval '1 hour' END`;

/** Claims that must end soon: after their time, or with the task or the holder's membership. */
const overdue = `
  SELECT fence::text FROM claims WHERE expires_at <= now() OR NOT EXISTS (
    SELECT FROM tasks JOIN memberships USING (space_id)
    WHERE tasks.id = claims.task_id AND NOT tasks.completed AND memberships.user_id = claims.user_id
  )`;

/** Lets claims end while nobody writes. @throws if one does not end */
export async function settleClaims(sql: RunSql): Promise<void> {
  // The first statements after a restart of the database may fail.
  await pRetry(() => sql(settle), { retries: 5 });
  const haveEnded = async () => (await sql(overdue)).length === 0;
  await until('all claims that are over have ended', () => haveEnded().catch(() => false));
}

interface Claim {
  begun: ClaimEvent;
  ended: ClaimEvent | undefined;
}

/**
 * Claims, recorded by the database itself, which the outcomes of writes must fit:
 *
 * - `two holders`: two claims on a task at once, or one claim for two callers.
 * - `smaller fence`: a later claim on a task has it.
 * - `lost claim`: acknowledged, and not there. `foreign claim`: nobody asked for it.
 * - `lost fence`: a write took effect after the end of its claim, or under the claim of another credential.
 */
export class Claims {
  readonly #byFence = new Map<string, Claim>();
  readonly #lastOfTask = new Map<string, Claim>();
  readonly #answered = new Set<string>();
  #problems: string[] = [];
  /** Since the last check. */
  #begun: ClaimEvent[] = [];
  #last = 0;

  get count(): number {
    return this.#byFence.size;
  }

  async read(sql: RunSql): Promise<void> {
    for (const event of await sql<ClaimEvent>(newEvents, [this.#last])) this.add(event);
    for (const { fence } of await sql<{ fence: string }>(unlogged)) this.#problems.push(`not in the log: ${fence}`);
  }

  add(event: ClaimEvent): void {
    const { number, kind, fence, taskId } = event;
    this.#last = number;
    const own = this.#byFence.get(fence);
    if (kind === 'ENDED') {
      if (own) own.ended = event;
      return;
    }
    const former = this.#lastOfTask.get(taskId);
    if (own || (former && !former.ended)) this.#problems.push(`two holders: ${fence} of ${taskId}`);
    if (former && BigInt(former.begun.fence) >= BigInt(fence))
      this.#problems.push(`smaller fence: ${fence} of ${taskId}`);
    const claim = { begun: event, ended: undefined };
    this.#byFence.set(fence, claim);
    this.#lastOfTask.set(taskId, claim);
    this.#begun.push(event);
  }

  /** @returns problems since the last check */
  check(writes: readonly SentWrite[], effects: Pick<Effects, 'withMark'>): string[] {
    const problems = this.#problems.splice(0);
    const claiming = writes.filter(isClaiming);
    for (const { claim, person } of claiming) {
      if (!claim) continue;
      const { begun } = this.#byFence.get(claim.fence) ?? {};
      if (begun?.taskId !== claim.taskId || begun.userId !== person.user.id)
        problems.push(`lost claim: ${claim.fence} of ${claim.taskId}`);
      if (this.#answered.has(claim.fence)) problems.push(`two holders: ${claim.fence} of ${claim.taskId}`);
      this.#answered.add(claim.fence);
    }
    const unknown = claiming.filter(({ outcome }) => outcome === 'unknown').map(({ person }) => person.user.id);
    for (const { fence, userId } of this.#begun.splice(0).filter((event) => !this.#answered.has(event.fence))) {
      const index = unknown.indexOf(userId);
      if (index === -1) problems.push(`foreign claim: ${fence} of ${userId}`);
      else unknown.splice(index, 1);
    }
    for (const write of writes) {
      const { mark, fence, person } = write;
      if (mark === undefined || fence === undefined) continue;
      const late = effects.withMark(mark).find((effect) => !this.#allows(write, effect));
      if (late) problems.push(`lost fence: ${fence}, by ${person.user.id}: ${mark} of ${late.id}`);
    }
    return problems;
  }

  #allows({ fence = '', isByAgent, person }: SentWrite, effect: Effect): boolean {
    const { begun, ended } = this.#byFence.get(fence) ?? {};
    const isOwn = isByAgent === true && begun?.userId === person.user.id;
    // The write itself may end it.
    return isOwn && (!ended || ended.number > effect.number || ended.transaction === effect.transaction);
  }
}

const isClaiming = ({ request }: SentWrite) => request.kind === 'rest' && request.path === '/api/v2/claims';
