import type { Request } from 'express';

/** Includes paths below the endpoint, which do not exist. */
export const isGraphqlUrl = (url: string): boolean => /^\/graphql(?=[/?]|$)/.test(url);

/** Whether requests count by the cost of their operations. */
export const countsByCost = (url: string): boolean => /^\/(graphql|mcp)(?=[/?]|$)/.test(url);

/** Returns one of a few dozen patterns, or an unmatched path's prefix. */
export function routeOf({ route, baseUrl, originalUrl }: Request): string {
  const path = (route as { path?: unknown } | undefined)?.path;
  // Express sets no `baseUrl` at the root.
  if (typeof path === 'string') return `${(baseUrl as string | undefined) ?? ''}${path}`;
  return /^\/(api\/v[12]|graphql|mcp|docs|avatars)(?=[/?]|$)/.exec(originalUrl)?.[0] ?? 'unknown';
}
