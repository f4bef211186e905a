/** Where the service is. */
declare const origin: string;
