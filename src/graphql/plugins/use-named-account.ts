import type { CheckPlugin } from '@taskgate/execution';
import { requireAccountOf } from '../../platform/named-account.ts';

/** Refuses an operation that names another account than the sender's. */
export const useNamedAccount = (): CheckPlugin => ({
  onParse: ({ context: { extensions, sender } }) => requireAccountOf(extensions, sender.userId),
});
