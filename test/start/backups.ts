import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { spawnService } from '../kit/process.ts';

/** Runs the built program. @returns its output and exit code */
export const run = async (
  command: string,
  dataDir: string,
  folder: string,
  account: { uid?: number; gid?: number } = {},
) =>
  promisify(execFile)(process.execPath, ['dist/src/process/backup.js', command, folder], {
    ...account,
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
  }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
  );

/** By a service that starts and stops. */
export async function makeDatabase(dataDir: string): Promise<void> {
  const service = await spawnService({ DATA_DIR: dataDir });
  service.signal('SIGTERM');
  await service.ended;
}
