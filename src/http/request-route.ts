import type { Request } from 'express';

/** Whether a request's URL, as it came, is that of GraphQL: its endpoint, or a path below it, where there is nothing. */
export const isGraphqlUrl = (url: string): boolean => /^\/graphql(?=[/?]|$)/.test(url);

/** The pattern of the request's route, one of a few dozen, for logs and metrics; where none matched, only what it begins with. */
export function routeOf({ route, baseUrl, originalUrl }: Request): string {
  const path = (route as { path?: unknown } | undefined)?.path;
  // Express sets none where a router is mounted at the root.
  if (typeof path === 'string') return `${(baseUrl as string | undefined) ?? ''}${path}`;
  // Clients can make up any number of paths.
  return /^\/(api\/v[12]|graphql|docs|avatars)(?=[/?]|$)/.exec(originalUrl)?.[0] ?? 'unknown';
}
