/** Returns undefined if the browser lacks or denies the feature. */
function ifAllowed<Part>(get: () => Part | null | undefined): Part | undefined {
  try {
    return get() ?? undefined;
  } catch {
    return undefined;
  }
}

/** Storage for short texts. Undefined in browsers that deny it. */
export const storage = ifAllowed(() => localStorage);

export const locks = ifAllowed(() => navigator.locks);
