import { decrypt, type Message } from './encryption.ts';
import { type Composing, failed, isExpired, type Omitted } from './kind.ts';
import type { ClaimedDelivery } from './outbox-data.ts';

class UnknownSecret extends Error {
  override readonly name = 'UnknownSecret';
}

/** Returns the mail that was written when it was planned. @throws UnknownSecret */
export async function composeWritten({ secrets }: Composing, delivery: ClaimedDelivery): Promise<Message | Omitted> {
  const message = delivery.message && decrypt(secrets, delivery.id, delivery.message);
  if (message) return message;
  if (isExpired(delivery)) return failed('The service no longer has the key that encrypted the mail.');
  // Another process may have the secret.
  return Promise.reject(new UnknownSecret());
}
