// What DQN and SAC remember, and how batches are drawn from it.
import type { Array } from "../array/index.js";
import {
  nStepBatch,
  ReplayBuffer,
  type ReplayBatch,
  type SequelTransition,
  type Transition,
} from "../agent/index.js";

/** What the config of an algorithm says about it. */
export interface ReplayConfig {
  readonly batchSize: number;
  readonly nSteps: number;
  readonly gamma: number;
}

/** The ring; transitions know where episodes ended only if returns go over several steps. */
export type Memory = ReplayBuffer<Transition>;

export interface Replay {
  readonly init: (capacity: number, example: SequelTransition) => Memory;
  readonly push: (memory: Memory, transitions: SequelTransition) => Memory;
  readonly draw: (memory: Memory, key: Array) => ReplayBatch;
}

/** The replay of an algorithm that plays so many environments. */
export function replayOf({ batchSize, nSteps, gamma }: ReplayConfig, numEnvs: number): Replay {
  const kept = ({ ended, ...transition }: SequelTransition): Transition =>
    nSteps === 1 ? transition : ({ ...transition, ended } as SequelTransition);
  return {
    init: (capacity, example) => ReplayBuffer.init(capacity, kept(example)),
    push: (memory, transitions) => ReplayBuffer.pushBatch(memory, kept(transitions)),
    draw: (memory, key) => {
      const places = ReplayBuffer.places(memory, key, batchSize);
      return nSteps === 1
        ? ReplayBuffer.take(memory, places)
        : nStepBatch(memory as ReplayBuffer<SequelTransition>, places, { nSteps, gamma, numEnvs });
    },
  };
}
