import type { IncomingHttpHeaders } from 'node:http';

export type CredentialHeaders = Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>;

/** The row of a credential, in the view `credentials`, has its user, rights, spaces and end. */
export interface CredentialKind {
  /** Unverified. Undefined if the headers have none. */
  secretIn: (headers: CredentialHeaders) => string | undefined;
  /** Absent for sessions, whose store reads and renews them. The secret is the key of the row. */
  program?: {
    /** Spares the look-up of a malformed secret. */
    isWellFormed: (secret: string) => boolean;
    /** Key of the row. */
    keyOf: (secret: string) => string;
    /** Whether browsers add it to requests of other sites, so forms, links and pages of these are refused. */
    isAmbient: boolean;
    /** Error of an attempt to start a session. */
    refusal: () => Error;
  };
}
