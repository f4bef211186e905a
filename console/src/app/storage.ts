/** Browsers may lack or deny the feature. */
function getIfAllowed<Feature>(get: () => Feature | null | undefined): Feature | undefined {
  try {
    return get() ?? undefined;
  } catch {
    return undefined;
  }
}

export const storage = getIfAllowed(() => localStorage);

export const locks = getIfAllowed(() => navigator.locks);
