import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { errorCodesOf, expired } from '../changes/doors.ts';
import { cursorOfNow, poll } from '../changes/stream.ts';
import { mustClaim, rename } from '../claims/claims.ts';
import { isReplayed, newKey, titlesOf, withKey } from '../idempotency/keyed.ts';
import { DebianPostgres } from '../kit/debian-postgres.ts';
import { makeTask } from '../kit/make.ts';
import { Restorable } from '../kit/restorable.ts';
import { openSmtpSink, type SmtpSink } from '../kit/smtp-sink.ts';
import { signUp, type User } from '../kit/users.ts';
import { describeIfInstalled } from '../kit/where-installed.ts';
import { listEntities, Replica } from '../sync/replica.ts';

describeIfInstalled('/usr/bin/pgbackrest')('a PostgreSQL of its own', () => {
  let postgres: DebianPostgres;
  let sink: SmtpSink;
  let restorable: Restorable;
  beforeAll(async () => {
    [postgres, sink] = [await DebianPostgres.start(), await openSmtpSink()];
    restorable = await Restorable.start(postgres, { SMTP_URL: sink.url });
  });
  afterAll(async () => {
    await restorable.close();
    await sink.close();
  });

  const write = (user: User, title: string, key = newKey()) => user.post('/api/v2/todo', { title }, withKey(key));
  const sendMail = async (user: User) => {
    expect(await user.graphql('mutation { sendTestMail }')).toEqual({ data: { sendTestMail: true } });
    return sink.take(user.email);
  };

  test.each([
    ['pgBackRest, to a moment after it', () => postgres.backUp(), () => postgres.mark()],
    ['pg_dump', () => postgres.dump(), undefined],
  ])(
    'backed up under load by %s: clients with later cursors load again, later claims are lost, and earlier keys and mails are not repeated',
    async (_label, backUp, mark) => {
      const { service } = restorable;
      const [anna, busy] = [await signUp(service), await signUp(service)];
      const [before, after] = [newKey(), newKey()];
      await write(anna, 'before', before);
      const tasks = [await makeTask(busy), await makeTask(busy)] as const;
      await sendMail(anna);
      const backingUp = restorable.backUp(backUp);
      const isOver = backingUp.then(() => true);
      do await makeTask(busy);
      while (!(await Promise.race([isOver, Promise.resolve(false)])));
      const restore = await backingUp;
      if (mark) await write(anna, 'after the backup');
      const keptCursor = await cursorOfNow(anna);
      await mark?.();
      await write(anna, 'lost', after);
      const fence = await mustClaim(busy, tasks[0].id);
      const [lost, replica] = [await cursorOfNow(anna), new Replica()];
      await replica.pull(anna);

      await restore();
      const found = mark ? ['before', 'after the backup'] : ['before'];
      expect(await titlesOf(service, anna)).toEqual(found);
      expect(await errorCodesOf(service, anna, lost)).toEqual(expired);
      expect((await poll(anna, keptCursor)).nodes).toEqual([]);
      const sync = 'query ($after: String) { sync(after: $after) { cursor } }';
      expect(await anna.graphql(sync, { after: replica.cursor })).toMatchObject({
        errors: [{ extensions: { code: 'CURSOR_EXPIRED' } }],
      });
      const freshReplica = new Replica();
      await freshReplica.pull(anna);
      expect(freshReplica.entities).toEqual(await listEntities(anna));

      // A sequence may give the same number again.
      await mustClaim(busy, tasks[1].id);
      expect(await rename(busy, tasks[0].id, 'under a lost claim', fence)).toMatchObject({ status: 409 });

      expect(isReplayed(await write(anna, 'before', before))).toBe(true);
      expect(isReplayed(await write(anna, 'lost', after))).toBe(false);
      expect(await titlesOf(service, anna)).toEqual([...found, 'lost']);
      await sendMail(anna);
      expect([...sink.copies.values()].filter((copies) => copies > 1)).toEqual([]);
    },
  );
});
