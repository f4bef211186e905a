/** Changes that a write may have made. A missing or needless hint costs time, never correctness. */
export interface ChangeHint {
  /** Spaces whose log or revision may have been raised. */
  spaces?: readonly string[];
  /** Users whose sessions or memberships may have changed. */
  users?: readonly string[];
}
