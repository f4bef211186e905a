import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FixedClock } from '../notifications/deliveries.ts';
import { addMember, makeComment, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { describeIfInstalled } from '../kit/where-installed.ts';

describeIfInstalled('/usr/bin/notmuch')('notmuch', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'notmuch-'));
  const clock = new FixedClock(new Date().toISOString());
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, { clock });
  });
  afterAll(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  test('shows the mails about a task as one thread, and others as other threads', async () => {
    const [anna, ben] = [await signUp(service), await signUp(service)];
    const { id: workspaceId } = await makeWorkspace(anna);
    await addMember(anna, workspaceId, ben);
    const { id: projectId } = await makeProject(anna, { workspaceId });
    const comment = async (task: { id: string }) => {
      await makeComment(anna, task.id, { text: `@${ben.id}` });
      clock.set(Date.now() + 301_000);
      await service.services.mailer.drain();
    };
    const [one, other] = [
      await makeTask(anna, { projectId, title: 'Prune' }),
      await makeTask(anna, { projectId, title: 'Prune' }),
    ];
    for (const task of [one, other, one, one]) await comment(task);
    const mails = path.join(folder, 'mails');
    cpSync(path.join(service.dataDir, 'outbox'), mails, { recursive: true });
    const config = path.join(folder, 'config');
    writeFileSync(config, `[database]\npath=${mails}\n[user]\nname=Ben\nprimary_email=${ben.email}\n[new]\ntags=new\n`);
    const notmuch = (...args: string[]) =>
      execFileSync('notmuch', ['--config', config, ...args], {
        encoding: 'utf8',
        env: { ...process.env, HOME: folder },
      });
    notmuch('new');
    const threads = JSON.parse(notmuch('search', '--format=json', `to:${ben.email} subject:Prune`)) as {
      total: number;
    }[];
    expect(threads.map(({ total }) => total).sort()).toEqual([1, 3]);
  });
});
