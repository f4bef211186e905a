/** Origin of the service. */
declare const origin: string;
