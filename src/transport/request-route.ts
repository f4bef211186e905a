import type { Request } from 'express';

/** Whether a request's URL, as it came, is that of GraphQL: its endpoint, or a path below it, where there is nothing. */
export const isGraphqlUrl = (url: string): boolean => /^\/graphql(?=[/?]|$)/.test(url);

/** The part of the service that a path or URL leads to. Paths themselves are not told: clients can make up any number. */
const partOf = (path: string) => /^\/(api\/v[12]|graphql|docs|avatars)(?=[/?]|$)/.exec(path)?.[0];

/**
 * The pattern of the request's route, one of a few dozen, for logs and metrics; where no route matched, only what it begins
 * with: paths hold ids and searches.
 */
export function routeOf({ route, baseUrl, originalUrl }: Request): string {
  const path = (route as { path?: unknown } | undefined)?.path;
  // Express sets none where a router is mounted at the root.
  if (typeof path === 'string') return `${(baseUrl as string | undefined) ?? ''}${path}`;
  return partOf(originalUrl) ?? 'unknown';
}
