/** Browsers may lack or deny the feature. */
function ifAllowed<Part>(get: () => Part | null | undefined): Part | undefined {
  try {
    return get() ?? undefined;
  } catch {
    return undefined;
  }
}

export const storage = ifAllowed(() => localStorage);

export const locks = ifAllowed(() => navigator.locks);
