import { StartError } from '../start-error.ts';

/** The embedded PostgreSQL cannot run; the message says why in one line. */
export class EmbeddedDatabaseError extends StartError {}
