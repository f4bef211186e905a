import { readdir, readFile, writeFile } from 'node:fs/promises';

/** Clock ticks of /proc per second. */
const ticks = 100;

/**
 * CPU time of a process in ms. With `family`, includes its living children and the ended ones.
 * @param {number} pid
 */
export async function cpuOf(pid, { family = false } = {}) {
  const pids = family ? [pid, ...(await childrenOf(pid))] : [pid];
  const times = await Promise.all(pids.map(async (each) => timesOf(await statOf(each))));
  return times.reduce((sum, { own, waited }, index) => sum + own + (family && index === 0 ? waited : 0), 0);
}

/**
 * Resident memory in MB.
 * @param {number} pid
 */
export const memoryOf = (pid) => statusOf(pid, 'VmRSS');

/**
 * Peak resident memory in MB since the start, or since {@link resetPeakMemory}.
 * @param {number} pid
 */
export const peakMemoryOf = (pid) => statusOf(pid, 'VmHWM');

/**
 * Resets the peak (proc(5), `clear_refs`).
 * @param {number} pid
 */
export const resetPeakMemory = (pid) => writeFile(`/proc/${pid}/clear_refs`, '5');

/**
 * A field of /proc/PID/status, in MB.
 * @param {number} pid
 * @param {string} field
 */
async function statusOf(pid, field) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

/** @param {number} pid */
async function childrenOf(pid) {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(ids.map(async (id) => Number((await statOf(id))[1])));
  return ids.filter((_id, index) => parents[index] === pid);
}

/**
 * Fields of /proc/PID/stat from the third on. Empty if the process has ended.
 * @param {number} pid
 */
async function statOf(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field is the name in parentheses, which may contain anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** @param {string[]} stat */
function timesOf(stat) {
  const [user, system, waitedUser, waitedSystem] = stat.slice(11, 15).map((value) => (Number(value) * 1000) / ticks);
  return { own: (user ?? 0) + (system ?? 0), waited: (waitedUser ?? 0) + (waitedSystem ?? 0) };
}
