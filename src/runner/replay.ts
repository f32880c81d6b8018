// What DQN and SAC remember, and how batches are drawn from it.
import { np, type Array } from "../array/index.js";
import {
  nStepBatch,
  PrioritizedReplayBuffer,
  progressAt,
  ReplayBuffer,
  type ReplayBatch,
  type Scalar,
  type ScheduleHorizon,
  type SequelTransition,
  type Transition,
} from "../agent/index.js";

/** What the config of an algorithm says about it. */
export interface ReplayConfig extends ScheduleHorizon {
  readonly batchSize: number;
  readonly nSteps: number;
  readonly gamma: Scalar;
  /** There only for algorithms that can do it. */
  readonly prioritized?: boolean;
  readonly priorityAlpha?: Scalar;
  readonly priorityBeta?: Scalar;
}

/** The ring; transitions know where episodes ended only if returns go over several steps. */
export type Memory = ReplayBuffer<Transition> | PrioritizedReplayBuffer<Transition>;

export interface Replay {
  readonly init: (capacity: number, example: SequelTransition) => Memory;
  readonly push: (memory: Memory, transitions: SequelTransition) => Memory;
  /** A batch and where it is from, after so many updates. */
  readonly draw: (memory: Memory, key: Array, step: Array) => { batch: ReplayBatch; places: Array };
  /** Takes in how large the errors were, where priorities depend on them. */
  readonly setErrors?: (memory: Memory, places: Array, errors: Array) => Memory;
}

/** How devices share what is drawn: each knows all places, and looks at its part of the batch. */
export interface DrawLayout {
  readonly places: (places: Array) => Array;
  readonly batch: (batch: ReplayBatch) => ReplayBatch;
}

const oneDevice: DrawLayout = { places: (places) => places, batch: (batch) => batch };

/** The replay of an algorithm that plays so many environments. */
export function replayOf(config: ReplayConfig, numEnvs: number, layout = oneDevice): Replay {
  const { batchSize, nSteps, gamma } = config;
  const kept = ({ ended, ...transition }: SequelTransition): Transition =>
    nSteps === 1 ? transition : ({ ...transition, ended } as SequelTransition);
  const batchAt = (memory: Memory, places: Array): ReplayBatch =>
    nSteps === 1
      ? ReplayBuffer.take(memory, places)
      : nStepBatch(memory as ReplayBuffer<SequelTransition>, places, { nSteps, gamma, numEnvs });
  if (config.prioritized === true) return prioritized(config, kept, batchAt, layout);
  return {
    init: (capacity, example) => ReplayBuffer.init(capacity, kept(example)),
    push: (memory, transitions) => ReplayBuffer.pushBatch(memory, kept(transitions)),
    draw: (memory, key) => {
      const places = layout.places(ReplayBuffer.places(memory, key, batchSize));
      return { batch: layout.batch(batchAt(memory, places)), places };
    },
  };
}

function prioritized(
  config: ReplayConfig,
  kept: (transition: SequelTransition) => Transition,
  batchAt: (memory: Memory, places: Array) => ReplayBatch,
  layout: DrawLayout,
): Replay {
  const { batchSize, priorityAlpha: alpha = 0.6, priorityBeta = 0.4 } = config;
  const ranked = (memory: Memory) => memory as PrioritizedReplayBuffer<Transition>;
  return {
    init: (capacity, example) => PrioritizedReplayBuffer.init(capacity, kept(example)),
    push: (memory, transitions) => PrioritizedReplayBuffer.pushBatch(ranked(memory), kept(transitions)),
    draw: (memory, key, step) => {
      const progress = progressAt("prioritized", "priorityBeta", step, config);
      const beta = progress.mul(np.subtract(1, priorityBeta)).add(priorityBeta);
      const drawn = PrioritizedReplayBuffer.draw(ranked(memory), key, batchSize, { beta });
      const places = layout.places(drawn.places);
      return { batch: layout.batch({ ...batchAt(memory, places), weight: drawn.weight }), places };
    },
    setErrors: (memory, places, errors) =>
      PrioritizedReplayBuffer.setErrors(ranked(memory), places, errors, { alpha }),
  };
}
