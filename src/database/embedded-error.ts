import { StartError } from '../kernel/start-error.ts';

/** The embedded PostgreSQL cannot run; the message says why in one line. */
export class EmbeddedDatabaseError extends StartError {}
