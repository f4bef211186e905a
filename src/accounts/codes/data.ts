import { rateLimited } from '@taskgate/limits';
import { runSql } from '@taskgate/postgres';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Connections, Database } from '../../platform/database.ts';
import { fixedPolicies } from '../../platform/rate-limit-policies.ts';
import { isRecent } from '../../platform/recent.ts';
import { type CodeSubject, hashCode, newCode } from './secrets.ts';

// All times come from the database's clock.

const { codesOfAddress } = fixedPolicies;

/** Contract, part 8. */
export const codeSeconds = 5 * 60;

const maxAttempts = 5;

/**
 * Voids the subject's older code. An advisory lock orders the requests of a subject or an address.
 * @throws RATE_LIMITED at the sixth request for either within 24 hours
 */
export async function issueCode(tx: Database, secret: string, codeSubject: CodeSubject, email: string) {
  const { purpose, subject } = codeSubject;
  const code = newCode();
  await tx.$executeRaw`SELECT lock_addresses(ARRAY[${subject}, ${email}])`;
  const [answer] = await tx.$queryRaw<{ id: bigint | null; retryAfter: number | null }[]>`
    WITH counted AS MATERIALIZED (
      SELECT created_at + make_interval(secs => ${codesOfAddress.windowSeconds}::float8) AS ends
      FROM one_time_codes WHERE (subject = ${subject} OR email = ${email}) AND purpose = ${purpose}::"CodePurpose"
        AND ${isRecent('created_at', codesOfAddress.windowSeconds)}
      ORDER BY id DESC OFFSET ${codesOfAddress.quota - 1} LIMIT 1
    ), created AS (
      INSERT INTO one_time_codes (purpose, subject, email, code_hash, created_at, expires_at)
      SELECT ${purpose}::"CodePurpose", ${subject}, ${email}, ${hashCode(secret, codeSubject, code)}, statement_timestamp(),
        statement_timestamp() + make_interval(secs => ${codeSeconds}::float8)
      WHERE NOT EXISTS (SELECT FROM counted)
      RETURNING id
    )
    SELECT (SELECT id FROM created) AS id,
      (SELECT extract(epoch FROM ends - statement_timestamp())::float8 FROM counted) AS "retryAfter"`;
  if (answer?.id != null) return { id: answer.id, code };
  const retryAfter = answer?.retryAfter ?? 1;
  throw rateLimited(codesOfAddress, 'Too many codes were requested for this address', { retryAfter, subject });
}

/** Only a subject's newest code is valid. */
const openCode = ({ purpose, subject }: CodeSubject) => Prisma.sql`
  id = (
    SELECT id FROM one_time_codes WHERE subject = ${subject} AND purpose = ${purpose}::"CodePurpose" ORDER BY id DESC LIMIT 1
  )
  AND consumed_at IS NULL AND attempts < ${maxAttempts}
  AND expires_at > statement_timestamp() AND ${isRecent('created_at', codeSeconds)}`;

/** Counts a wrong attempt in the same statement. A right code stays usable. */
export async function tryCode(
  connections: Connections,
  secret: string,
  codeSubject: CodeSubject,
  code: string,
): Promise<boolean> {
  const hash = hashCode(secret, codeSubject, code);
  const [tried] = await runSql<{ right: boolean }>(
    connections,
    Prisma.sql`
      UPDATE one_time_codes SET attempts = attempts + (code_hash <> ${hash})::int WHERE ${openCode(codeSubject)}
      RETURNING code_hash = ${hash} AS "right"`,
  );
  return tried?.right ?? false;
}

export const noteDelivery = (tx: Database, id: bigint, deliveryId: string) =>
  tx.oneTimeCode.update({ where: { id }, data: { deliveryId }, select: { id: true } });

/** Works once under concurrency. @returns undefined for a wrong, used or expired code */
export async function redeemCode(
  tx: Database,
  secret: string,
  codeSubject: CodeSubject,
  code: string,
): Promise<{ email: string; deliveryId: string | null } | undefined> {
  const [redeemed] = await tx.$queryRaw<{ email: string; deliveryId: string | null }[]>`
    UPDATE one_time_codes SET consumed_at = statement_timestamp()
    WHERE code_hash = ${hashCode(secret, codeSubject, code)} AND ${openCode(codeSubject)} RETURNING email, delivery_id AS "deliveryId"`;
  return redeemed;
}

/** Ends the subject's codes, as their use does. */
export const voidCodes = (tx: Database, { purpose, subject }: CodeSubject) =>
  tx.$executeRaw`
    UPDATE one_time_codes SET consumed_at = statement_timestamp()
    WHERE subject = ${subject} AND purpose = ${purpose}::"CodePurpose" AND consumed_at IS NULL`;
