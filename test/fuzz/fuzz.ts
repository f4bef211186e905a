import fc from 'fast-check';
import { inTime } from '@taskgate/base';
import { entities, type EntityKind, entityKinds } from '../../src/platform/entities.ts';
import { makeWorkspace } from '../kit/make.ts';
import { graphqlRequests } from './graphql.ts';
import { brokenInvariants } from '../kit/invariants.ts';
import { type FuzzRequest, Ids, send } from './request.ts';
import { restRequests } from './rest.ts';
import { type Memory, Target } from './target.ts';

export interface Size {
  requests: number;
  /** Reproduces a run, except for the order of concurrent requests. */
  seed: number;
  /** Number of pauses to measure memory and delete old data. */
  checkpoints: number;
}

export interface Found {
  /** Faults: internal errors, missing or malformed responses, broken data. */
  faults: string[];
  statuses: Record<number, number>;
  memory: Memory[];
}

const concurrency = 8;
const batchSize = 500;
/** Rows of each kind kept at a checkpoint, because growing lists would hide leaks of memory. */
const keptPerTable = 300;
const maxFaults = 20;
/** Timeout of a response in milliseconds, generous for slow machines. */
const maxAnswerMs = 20_000;
/** Of responses of GraphQL. 429: some limits ignore RATE_LIMITS. */
const usual = [200, 400, 401, 403, 429];

/**
 * Sends generated requests to a service, as several users and anonymously.
 * @param report receives a line per checkpoint
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
      await deleteSurplus(target);
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

type Answer = Awaited<ReturnType<typeof send>>;

async function faultOf(
  request: FuzzRequest,
  answer: () => Promise<Answer>,
  ids: Ids,
  { statuses }: Found,
): Promise<string | undefined> {
  let response: Answer;
  try {
    response = await inTime(maxAnswerMs, answer());
  } catch (error) {
    return `no answer (${String(error)})`;
  }
  const { status, body } = response;
  statuses[status] = (statuses[status] ?? 0) + 1;
  collectIds(JSON.stringify(body), ids);
  const expected = request.kind === 'rest' ? request.statuses : usual;
  if (!expected.includes(status) || status >= 500) return `status ${status}: ${JSON.stringify(body).slice(0, 300)}`;
  if (request.kind === 'rest') {
    const isError = typeof (body as { message?: unknown } | null)?.message === 'string';
    return status < 400 || isError ? undefined : 'an error without a message';
  }
  const { errors = [] } = body as { errors?: { extensions: { code: string } }[] };
  const internal = errors.find(({ extensions: { code } }) => !code || ['INTERNAL', 'UNAVAILABLE'].includes(code));
  return internal && `an error of GraphQL: ${JSON.stringify(internal)}`;
}

const idPattern = new RegExp(`"(${entityKinds.map((kind) => entities[kind].prefix).join('|')})_[0-9a-z]{26}"`, 'g');
const entityOf = new Map<string, EntityKind>(entityKinds.map((kind) => [entities[kind].prefix, kind]));

/** Collects ids for later requests. */
function collectIds(text: string, ids: Ids): void {
  for (const [quotedText] of [...text.slice(0, 4000).matchAll(idPattern)].slice(0, 5)) {
    const id = quotedText.slice(1, -1);
    const entity = entityOf.get(id.split('_')[0] ?? '');
    if (entity) ids.add(entity, id);
  }
}

async function deleteSurplus(target: Target): Promise<void> {
  for (const table of ['comments', 'tasks', 'tags', 'sections', 'projects']) {
    const keptCondition = table === 'projects' ? 'AND NOT is_default' : '';
    await target.sql(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE true ${keptCondition} ORDER BY created_at DESC, id OFFSET $1)`,
      [keptPerTable],
    );
  }
  await target.sql(
    `DELETE FROM spaces WHERE id IN
      (SELECT id FROM spaces WHERE kind = 'WORKSPACE' ORDER BY created_at DESC, id OFFSET 20)`,
  );
}
