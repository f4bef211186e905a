import { MalformedRequest, TaskgateError, unauthenticated } from './errors.ts';
import { isId } from './ids.ts';

/** The caller is signed in, as another account than the request names. */
export class OtherAccountError extends TaskgateError {
  constructor() {
    super('UNAUTHENTICATED', 'The session belongs to another account');
  }
}

/**
 * Holds a request to the account that it names, as the cookie of a browser may have become another account's since the request was made.
 * @param named by the request, from wherever it came; undefined: it names none
 * @param path where the request names it
 * @param userId of the caller, if they are signed in
 * @throws VALIDATION_FAILED for what is no account's id; UNAUTHENTICATED if the caller is not that account
 */
export function requireNamedAccount(named: unknown, path: string, userId: string | undefined): void {
  if (named === undefined) return;
  if (typeof named !== 'string' || !isId('User', named)) {
    throw new MalformedRequest([{ path, message: 'must be the id of an account' }]);
  }
  if (userId === undefined) throw unauthenticated();
  if (userId !== named) throw new OtherAccountError();
}
