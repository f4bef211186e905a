/** What may have changed; a hint, never the truth: a missing or needless one costs time alone. */
export interface ChangeHint {
  /** Spaces whose log or revision may have been raised. */
  spaces?: readonly string[];
  /** Users whose sessions or memberships may have changed. */
  users?: readonly string[];
}
