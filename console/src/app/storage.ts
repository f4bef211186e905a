/** Browsers may lack or deny the feature. */
function getIfAllowed<Feature>(get: () => Feature | null | undefined): Feature | undefined {
  try {
    return get() ?? undefined;
  } catch {
    return undefined;
  }
}

export const storage = getIfAllowed(() => localStorage);

/** Returns false if the storage is full. */
export function store(key: string, value: string): boolean {
  try {
    storage?.setItem(key, value);
    return true;
  } catch {
    return false;
  }
}

export const locks = getIfAllowed(() => navigator.locks);
