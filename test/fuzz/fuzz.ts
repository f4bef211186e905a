import fc from 'fast-check';
import { entities, type EntityKind, entityKinds } from '../../src/kernel/entities.ts';
import { makeWorkspace } from '../kit/make.ts';
import { graphqlRequests } from './graphql.ts';
import { brokenInvariants } from '../kit/invariants.ts';
import { type FuzzRequest, Ids, send } from './request.ts';
import { restRequests } from './rest.ts';
import { type Memory, Target } from './target.ts';

export interface Size {
  requests: number;
  /** Reproduces the run, as far as the order of what runs at once does not matter. */
  seed: number;
  /** Times at which memory is looked at and what was made is thinned out. */
  checkpoints: number;
}

export interface Found {
  /** What must not be: a fault of the service, no answer, an answer of another form, broken data. */
  faults: string[];
  /** Answers by status. */
  statuses: Record<number, number>;
  /** Memory at each checkpoint. */
  memory: Memory[];
}

const concurrency = 8;
/** Requests that are made up at once. */
const batchSize = 500;
/** What is kept of each kind at a checkpoint: memory must not grow because lists do. */
const keptOfEach = 300;
/** Faults after which nothing more is to be learnt. */
const maxFaults = 20;
/** Milliseconds after which an answer is missed: far more than any takes on a slow machine. */
const maxAnswerMs = 20_000;
/** 429: some limits hold whatever RATE_LIMITS says; 431: not every text that is made up fits into a URL. */
const usual = new Set([200, 201, 304, 400, 401, 403, 404, 429, 431]);

/**
 * Sends made-up requests to a service of its own, as several users and as nobody.
 * @param report given a line at each checkpoint
 */
export async function fuzz({ requests, seed, checkpoints }: Size, report: (line: string) => void): Promise<Found> {
  const target = await Target.start(3);
  const found: Found = { faults: [], statuses: {}, memory: [] };
  const ids = new Ids();
  try {
    const [anna, ...others] = target.users;
    if (anna) await makeWorkspace(anna, ...others);
    for (let sent = 0, checkpoint = 0; sent < requests && found.faults.length < maxFaults;) {
      const count = Math.min(batchSize, requests - sent);
      await sendAll(
        target,
        fc.sample(fc.oneof(restRequests, graphqlRequests), { seed: seed + sent, numRuns: count }),
        ids,
        found,
      );
      sent += count;
      if (sent < ((checkpoint + 1) * requests) / checkpoints) continue;
      checkpoint += 1;
      found.faults.push(...(await brokenInvariants(target.sql)));
      await thinOut(target);
      found.memory.push(await target.memory());
      report(`${sent} requests: ${JSON.stringify(found.memory.at(-1))} ${JSON.stringify(found.statuses)}`);
    }
    const errors = target.errors();
    if (errors) found.faults.push(`logged: ${errors.slice(0, 2000)}`);
    return found;
  } finally {
    await target.stop();
  }
}

async function sendAll(target: Target, requests: FuzzRequest[], ids: Ids, found: Found): Promise<void> {
  const clients = [...target.users, ...target.users, target.anonymous];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < requests.length && found.faults.length < maxFaults; index = next++) {
      const request = requests[index];
      const client = clients[index % clients.length];
      if (!request || !client) return;
      const fault = await faultOf(request, () => send(client, request, ids), ids, found);
      if (fault !== undefined && found.faults.length < maxFaults)
        found.faults.push(`${fault}: ${JSON.stringify(request).slice(0, 1500)}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** @throws where the work takes longer */
async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`none within ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

type Answer = Awaited<ReturnType<typeof send>>;

/** @returns what is wrong with the answer; undefined: nothing */
async function faultOf(
  request: FuzzRequest,
  answer: () => Promise<Answer>,
  ids: Ids,
  { statuses }: Found,
): Promise<string | undefined> {
  let given: Answer;
  try {
    given = await within(maxAnswerMs, answer());
  } catch (error) {
    return `no answer (${String(error)})`;
  }
  const { status, body } = given;
  statuses[status] = (statuses[status] ?? 0) + 1;
  learn(JSON.stringify(body), ids);
  if (!usual.has(status)) return `status ${status}: ${JSON.stringify(body).slice(0, 300)}`;
  if (request.kind === 'rest') {
    const isError = typeof (body as { message?: unknown } | null)?.message === 'string';
    return status < 400 || status === 431 || isError ? undefined : 'an error without a message';
  }
  const { errors = [] } = body as { errors?: { extensions: { code: string } }[] };
  const internal = errors.find(({ extensions: { code } }) => !code || ['INTERNAL', 'UNAVAILABLE'].includes(code));
  return internal && `an error of GraphQL: ${JSON.stringify(internal)}`;
}

const idPattern = new RegExp(`"(${entityKinds.map((kind) => entities[kind].prefix).join('|')})_[0-9a-z]{26}"`, 'g');
const entityOf = new Map<string, EntityKind>(entityKinds.map((kind) => [entities[kind].prefix, kind]));

/** Notes some ids of an answer, so that later requests name what there is. */
function learn(text: string, ids: Ids): void {
  for (const [quoted] of [...text.slice(0, 4000).matchAll(idPattern)].slice(0, 5)) {
    const id = quoted.slice(1, -1);
    const entity = entityOf.get(id.split('_')[0] ?? '');
    if (entity) ids.add(entity, id);
  }
}

/** Deletes the oldest of what was made. */
async function thinOut(target: Target): Promise<void> {
  for (const table of ['tasks', 'tags', 'sections', 'projects']) {
    const kept = table === 'projects' ? 'AND NOT is_default' : '';
    await target.sql(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE true ${kept} ORDER BY created_at DESC, id OFFSET $1)`,
      [keptOfEach],
    );
  }
  await target.sql(
    `DELETE FROM spaces WHERE id IN
      (SELECT id FROM spaces WHERE kind = 'WORKSPACE' ORDER BY created_at DESC, id OFFSET 20)`,
  );
}
