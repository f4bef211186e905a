/** Default of `CACHE_BYTES`. */
export const defaultCacheBytes = 32 * 1024 * 1024;

/** Divides `CACHE_BYTES` among the caches. No cache evicts another's entries. */
export const cacheSizes = (bytes = defaultCacheBytes) => ({
  responses: Math.floor(bytes / 2),
  statements: Math.floor(bytes / 4),
  documents: Math.floor(bytes / 8),
  texts: Math.floor(bytes / 8),
});
