import { Cluster } from './cluster.ts';
import { clusterFaults } from './cluster-faults.ts';
import type { Installation } from './installation.ts';
import { Standalone } from './standalone.ts';
import { diskFaults, standaloneFaults } from './standalone-faults.ts';
import { type Fault, type Round, Trial } from './trial.ts';

export interface Session {
  round(fault: string, seed: number): Promise<Round>;
  /** Stops everything. @returns problems at the end */
  end(): Promise<string[]>;
}

interface SessionKind {
  faults: readonly string[];
  /** The seed determines the writes. Returns undefined if this machine does not support the kind. */
  start: (seed: number) => Promise<Session | undefined>;
}

const kind = <Target extends Installation>(
  faults: readonly Fault<Target>[],
  start: () => Promise<Target | undefined>,
): SessionKind => ({
  faults: faults.map(({ name }) => name),
  async start(seed) {
    const installation = await start();
    if (!installation) return undefined;
    const trial = await Trial.start(installation, seed);
    return {
      async round(name, roundSeed) {
        const fault = faults.find((each) => each.name === name);
        if (!fault) throw new Error(`there is no such fault here: ${name}`);
        return trial.round(fault, roundSeed);
      },
      end: () => trial.end(),
    };
  },
});

export const sessionKinds = {
  standalone: kind(standaloneFaults, () => Standalone.start()),
  cluster: kind(clusterFaults, () => Cluster.start()),
  smallDisk: kind(diskFaults, () => Standalone.start({ smallDisk: true })),
} as const;
