import { MalformedRequest, TaskgateError, unauthenticated } from '@taskgate/base';
import { isId } from './ids.ts';

export class OtherAccountError extends TaskgateError {
  constructor() {
    super('UNAUTHENTICATED', 'The session belongs to another account');
  }
}

/**
 * The cookie can change after a page has prepared its request.
 * @throws VALIDATION_FAILED if the value is no account's id; UNAUTHENTICATED if the caller is not that account
 */
export function requireNamedAccount(named: unknown, path: string, userId: string | undefined): void {
  if (named === undefined) return;
  if (typeof named !== 'string' || !isId('User', named)) {
    throw new MalformedRequest([{ path, message: 'must be the id of an account' }]);
  }
  if (userId === undefined) throw unauthenticated();
  if (userId !== named) throw new OtherAccountError();
}

/** As {@link requireNamedAccount}, for the account that an operation names. */
export function requireAccountOf(extensions: unknown, userId: string | undefined): void {
  const { account } = (extensions ?? {}) as { account?: unknown };
  requireNamedAccount(account, 'extensions.account', userId);
}
