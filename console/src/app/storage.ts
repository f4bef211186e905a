/** @returns undefined if the browser denies it, or has none */
function ifAllowed<Part>(get: () => Part | null | undefined): Part | undefined {
  try {
    return get() ?? undefined;
  } catch {
    return undefined;
  }
}

/** The browser's storage of small texts. Without it, each text ends with its page. */
export const storage = ifAllowed(() => localStorage);

export const locks = ifAllowed(() => navigator.locks);
