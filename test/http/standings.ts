import { expect } from '@jest/globals';
import type { Answer } from '../kit/client.ts';

export const csrf = { 'x-graphql-yoga-csrf': '1' };
export const query = (text: string) => ({ query: text });

export function rateLimitOf({ headers }: Answer<unknown>) {
  const [, policy, quota, window] = /^"([\w-]+)";q=(\d+);w=(\d+)$/.exec(headers.get('ratelimit-policy') ?? '') ?? [];
  const [, name, remaining, reset] = /^"([\w-]+)";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
  expect(name).toBe(policy);
  return { name, quota: Number(quota), window: Number(window), remaining: Number(remaining), reset: Number(reset) };
}

/** The named limit refuses the request, in the body and the headers. */
export function expectLimited(answer: Answer<unknown>, name: string) {
  expect(answer.status).toBe(429);
  const rateLimit = rateLimitOf(answer);
  expect(rateLimit).toMatchObject({ name, remaining: 0 });
  expect(answer.headers.get('retry-after')).toBe(String(rateLimit.reset));
  expect(rateLimit.reset).toBeGreaterThan(0);
  expect(rateLimit.reset).toBeLessThanOrEqual(rateLimit.window);
  const { code, errors } = answer.body as { code?: string; errors?: { extensions: object }[] };
  if (errors) {
    expect(errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', retryAfter: rateLimit.reset } }]);
  } else expect(code).toBe('RATE_LIMITED');
}

/** Sends until a refusal, at most 1,000 times. @returns the number of accepted requests */
export async function untilRefused(send: () => Promise<Answer<unknown>>): Promise<number> {
  for (let count = 0; count < 1000; count += 1) if ((await send()).status === 429) return count;
  throw new Error('nothing was refused');
}
