import { Prisma } from '../generated/prisma/client.ts';
import { type Database, db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import { rateLimited } from '../kernel/errors.ts';
import { fixedPolicies } from '../kernel/rate-limit-policies.ts';
import { type CodeSubject, hashCode, newCode } from './secrets.ts';

// All moments are the database's own: processes whose clocks differ agree on what is valid.

const { codesOfAddress } = fixedPolicies;

/** Seconds for which a code is valid (contract, part 8). */
export const codeSeconds = 5 * 60;

/** Wrong attempts that void a code. */
const maxAttempts = 5;

/**
 * Makes a new code, which replaces the older one of its subject. All requests of one subject or address are ordered, until
 * the transaction ends.
 * @param email that it is mailed to
 * @throws RATE_LIMITED at the sixth request for the subject or the address within 24 hours
 */
export async function issueCode(tx: Database, secret: string, of: CodeSubject, email: string) {
  const { purpose, subject } = of;
  const code = newCode();
  await tx.$executeRaw`SELECT lock_addresses(ARRAY[${subject}, ${email}])`;
  const [answer] = await tx.$queryRaw<{ id: bigint | null; retryAfter: number | null }[]>`
    WITH counted AS MATERIALIZED (
      SELECT created_at + make_interval(secs => ${codesOfAddress.windowSeconds}::float8) AS ends
      FROM one_time_codes WHERE (subject = ${subject} OR email = ${email}) AND purpose = ${purpose}::"CodePurpose"
      ORDER BY id DESC OFFSET ${codesOfAddress.quota - 1} LIMIT 1
    ), created AS (
      INSERT INTO one_time_codes (purpose, subject, email, code_hash, created_at, expires_at)
      SELECT ${purpose}::"CodePurpose", ${subject}, ${email}, ${hashCode(secret, of, code)}, statement_timestamp(),
        statement_timestamp() + make_interval(secs => ${codeSeconds}::float8)
      WHERE NOT EXISTS (SELECT FROM counted WHERE ends > statement_timestamp())
      RETURNING id
    )
    SELECT (SELECT id FROM created) AS id,
      (SELECT extract(epoch FROM ends - statement_timestamp())::float8 FROM counted) AS "retryAfter"`;
  if (answer?.id != null) return { id: answer.id, code };
  const retryAfter = answer?.retryAfter ?? 1;
  throw rateLimited(codesOfAddress, 'Too many codes were requested for this address', { retryAfter, subject });
}

/** Of a subject's codes the newest alone counts, while it is neither used nor burnt nor expired. */
const openCode = ({ purpose, subject }: CodeSubject) => Prisma.sql`
  id = (
    SELECT id FROM one_time_codes WHERE subject = ${subject} AND purpose = ${purpose}::"CodePurpose" ORDER BY id DESC LIMIT 1
  )
  AND consumed_at IS NULL AND attempts < ${maxAttempts} AND expires_at > statement_timestamp()`;

/**
 * Compares a code with the subject's and counts a wrong try, in one statement; it does not use the code up.
 * @returns whether it could be redeemed now
 */
export async function tryCode(secret: string, of: CodeSubject, code: string): Promise<boolean> {
  const hash = hashCode(secret, of, code);
  const [tried] = await runSql<{ right: boolean }>(
    db,
    Prisma.sql`
      UPDATE one_time_codes SET attempts = attempts + (code_hash <> ${hash})::int WHERE ${openCode(of)}
      RETURNING code_hash = ${hash} AS "right"`,
  );
  return tried?.right ?? false;
}

/** Notes which mail brings a code. */
export const noteDelivery = (tx: Database, id: bigint, deliveryId: string) =>
  tx.oneTimeCode.update({ where: { id }, data: { deliveryId }, select: { id: true } });

/**
 * Uses the code up, once however many transactions try to at the same time.
 * @returns the address that it was mailed to, and the mail that brought it; undefined where this one did not use it up
 */
export async function redeemCode(
  tx: Database,
  secret: string,
  of: CodeSubject,
  code: string,
): Promise<{ email: string; deliveryId: string | null } | undefined> {
  const [redeemed] = await tx.$queryRaw<{ email: string; deliveryId: string | null }[]>`
    UPDATE one_time_codes SET consumed_at = statement_timestamp()
    WHERE code_hash = ${hashCode(secret, of, code)} AND ${openCode(of)} RETURNING email, delivery_id AS "deliveryId"`;
  return redeemed;
}
