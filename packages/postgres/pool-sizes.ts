/** Connections of all pools. */
export const defaultPoolSize = 50;

/** Leaves three for operations, which the start needs at once. */
export const minPoolSize = 6;

export function poolSizes(size = defaultPoolSize) {
  const session = Math.max(1, Math.round(size * 0.16));
  const cursor = Math.max(1, Math.round(size * 0.32));
  return { main: size - session - cursor, session, cursor };
}
