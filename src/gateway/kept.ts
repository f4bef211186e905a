import type { Request, Response } from 'express';
import { answers, stateOf } from '../kernel/answers.ts';
import type { Viewer } from '../kernel/context.ts';

/** Requests whose answer is a query's, without errors: it says the same as long as the state is the same. */
const repeatable = new WeakSet<Request>();

/** Says that what the request is answered may be kept. */
export const allowKeeping = (request: Request): void => void repeatable.add(request);

/**
 * Answers an operation from what is kept of the same state. Otherwise its answer is kept, where it
 * turns out to be a query's: what is kept has passed the gate, and need not pass it again.
 * @param operation the request's text, variables and all else that tells it from another one
 * @returns whether it has been answered
 */
export function sendKept(request: Request, response: Response, operation: unknown, viewer: Viewer): boolean {
  const name = nameOf([request.method, request.headers.accept, operation]);
  if (name === undefined) return false;
  const state = stateOf(viewer, name);
  const kept = answers.get(state);
  if (kept) {
    response.setHeader('Content-Type', kept.type);
    response.setHeader('Content-Length', kept.body.length);
    response.end(kept.body);
    return true;
  }
  keepWhenSent(request, response, state);
  return false;
}

/** Variables may be nested too deep to be written down: the gate refuses them, they need no name. */
function nameOf(parts: unknown[]): string | undefined {
  try {
    return JSON.stringify(parts);
  } catch {
    return undefined;
  }
}

/** Notes what is written, so that the bytes that were sent are the ones that are kept. */
function keepWhenSent(request: Request, response: Response, state: string): void {
  const chunks: Buffer[] = [];
  const note = (chunk: unknown) => {
    // A subscription's answer has no end: of what will not be kept, nothing is noted.
    if (!repeatable.has(request)) return;
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string));
  };
  const [write, end] = [response.write.bind(response), response.end.bind(response)];
  response.write = ((...given: Parameters<typeof write>) => {
    note(given[0]);
    return write(...given);
  }) as typeof write;
  response.end = ((...given: Parameters<typeof end>) => {
    note(given[0]);
    return end(...given);
  }) as typeof end;
  response.once('finish', () => {
    const type = response.getHeader('content-type');
    if (response.statusCode === 200 && repeatable.has(request) && typeof type === 'string') {
      answers.set(state, { type, body: Buffer.concat(chunks) });
    }
  });
}
