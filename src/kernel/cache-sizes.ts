/** `CACHE_BYTES`, where it is not set. */
export const defaultCacheBytes = 32 * 1024 * 1024;

/**
 * Divides what the process may cache (`CACHE_BYTES`) among its caches that are bounded by bytes. Each has its own part:
 * what fills one evicts nothing from another.
 */
export const cacheSizes = (bytes = defaultCacheBytes) => ({
  responses: Math.floor(bytes / 2),
  statements: Math.floor(bytes / 4),
  /** Checked GraphQL documents. */
  documents: Math.floor(bytes / 8),
  /** Texts of automatically persisted operations. */
  texts: Math.floor(bytes / 8),
});
