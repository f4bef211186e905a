/** An error of an endpoint (RFC 6749, 5.2; RFC 7591, 3.2.2). */
export class OAuthError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, description: string, status = 400) {
    super(description);
    this.code = code;
    this.status = status;
  }
}

export const invalidRequest = (description: string) => new OAuthError('invalid_request', description);
