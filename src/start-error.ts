/** The start cannot go on; the message says why in one line. */
export class StartError extends Error {}
