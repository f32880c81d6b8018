// Rollouts of environments that are objects. Policy and values are compiled programs in memory of their own; a step on
// the host copies observations in and actions out, and allocates next to nothing.
import {
  arrayType,
  concrete,
  itemSize,
  jit,
  residentProgram,
  sizeOf,
  viewBytes,
  type Array,
  type DType,
  type ResidentProgram,
  type Shape,
  type TypedArray,
} from "../../array/index.js";
import { PPO } from "../../algorithms/index.js";
import type { VecStep } from "../../vecEnv/index.js";
import type { EpisodeBook } from "./episodeBook.js";
import { meanOf } from "./episodeBook.js";
import { actionWriter, type ActionWriter } from "./hostActions.js";
import { HostPlayer, type HostPlayerOptions } from "./hostPlayer.js";
import type { Played, PPOAgentState, PPOBrain } from "./rollouts.js";

/** A rollout being filled. */
interface Storage {
  readonly obs: TypedArray;
  readonly action: TypedArray;
  readonly logProb: Float32Array;
  readonly reward: Float32Array;
  readonly done: Uint8Array;
  readonly bootstrap: Float32Array;
  /** 1 where an episode was cut off and nobody told its last observation. */
  readonly untold: Uint8Array;
}

const storageFor = (dtype: DType, size: number): TypedArray =>
  viewBytes(dtype, new ArrayBuffer(size * itemSize(dtype)), 0, size);

export class HostRollouts extends HostPlayer<PPOAgentState, Played> {
  private readonly writeActions: ActionWriter;
  private readonly obsShape: Shape;
  private readonly obsDtype: DType;
  private readonly actionShape: Shape;
  /** Made with the first state. */
  private policy: ResidentProgram | null = null;
  private critic: ResidentProgram | null = null;
  private readonly valuesOf: (state: PPOAgentState, obs: Array) => Array;

  constructor(
    options: HostPlayerOptions,
    private readonly brain: PPOBrain,
    private readonly book: EpisodeBook,
  ) {
    super(options, book);
    const { world, device } = options;
    this.obsShape = world.obsShape;
    this.obsDtype = world.obsDtype;
    this.actionShape = world.actions.shape;
    this.writeActions = actionWriter(world.actions, world.numEnvs);
    this.valuesOf = jit(
      (state: PPOAgentState, obs: Array) => PPO.getValueBatch(state, obs, brain),
      device === undefined ? {} : { device },
    );
  }

  /** What the programs need of a state. */
  protected acting({ params, obsStats }: PPOAgentState): PPOAgentState {
    return { params, ...(obsStats !== undefined && { obsStats }) } as PPOAgentState;
  }

  private programs(state: PPOAgentState): { policy: ResidentProgram; critic: ResidentProgram } {
    const { brain, device } = this;
    const acting = this.acting(state);
    const obs = this.batchOf(this.obs);
    this.policy ??= residentProgram(
      (own: PPOAgentState, rng: Array, seen: Array) => {
        const [action, logProb, , next] = PPO.actBatch({ ...own, rng }, seen, brain);
        return [action, logProb, next.rng];
      },
      [acting, state.rng, obs] as const,
      { device },
    );
    this.critic ??= residentProgram(
      (own: PPOAgentState, seen: Array) => [PPO.getValueBatch(own, seen, brain)],
      [acting, obs] as const,
      { device },
    );
    this.policy.set(0, acting);
    this.policy.set(1, state.rng);
    this.critic.set(0, acting);
    return { policy: this.policy, critic: this.critic };
  }

  async play(state: PPOAgentState): Promise<Played> {
    const { envs, book, brain, writeActions } = this;
    const { numEnvs } = envs;
    const { nSteps } = brain.config;
    const { policy, critic } = this.programs(state);
    const [, [rng], [seen]] = policy.inputs;
    const [action, logProb, nextRng] = policy.outputs;
    const [perObs, perAction] = [seen.length, action.length];
    const into = this.storage(nSteps);
    seen.set(this.obs);
    for (let at = 0; at < nSteps; at++) {
      into.obs.set(seen, at * perObs);
      policy.run();
      rng.set(nextRng);
      into.action.set(action, at * perAction);
      into.logProb.set(logProb, at * numEnvs);
      const stepped = envs.step(writeActions(action));
      const step = "then" in stepped ? await stepped : stepped;
      into.reward.set(step.rewards, at * numEnvs);
      into.done.set(step.dones, at * numEnvs);
      this.bootstrap(into, at, step, critic);
      book.add(step);
      seen.set(step.obs);
    }
    this.obs.set(seen);
    const moved = { ...state, rng: concrete(state.rng.type, nextRng.slice()) };
    return this.finished(moved, into, nSteps, critic);
  }

  /** A new one each time: those who are told of a rollout may keep it. */
  private storage(nSteps: number): Storage {
    const steps = nSteps * this.envs.numEnvs;
    const isDiscrete = this.actionShape.length === 0;
    return {
      obs: storageFor(this.obsDtype, steps * this.envs.obsSize),
      action: storageFor(isDiscrete ? "int32" : "float32", steps * sizeOf(this.actionShape)),
      logProb: new Float32Array(steps),
      reward: new Float32Array(steps),
      done: new Uint8Array(steps),
      bootstrap: new Float32Array(steps),
      untold: new Uint8Array(steps),
    };
  }

  /** What an episode that was cut off would have gone on to collect: the value of its last observation. */
  private bootstrap(into: Storage, at: number, { extras }: VecStep, critic: ResidentProgram): void {
    const { timeOuts, terminated, finalObservation } = extras;
    const { numEnvs } = this.envs;
    // What has come to its end at the very limit was not cut off.
    const isCut = (env: number): boolean => timeOuts[env] !== 0 && (terminated?.[env] ?? 0) === 0;
    let any = false;
    for (let env = 0; env < numEnvs; env++) any ||= isCut(env);
    if (!any) return;
    if (finalObservation === undefined) {
      for (let env = 0; env < numEnvs; env++) into.untold[at * numEnvs + env] = isCut(env) ? 1 : 0;
      return;
    }
    critic.inputs[1][0].set(finalObservation);
    critic.run();
    for (let env = 0; env < numEnvs; env++) {
      if (!isCut(env)) continue;
      into.bootstrap[at * numEnvs + env] = critic.outputs[0][env];
    }
  }

  /** The rollout as arrays, with the values of all its observations, which the critic sees at once. */
  private finished(state: PPOAgentState, from: Storage, nSteps: number, critic: ResidentProgram): Played {
    const lead = [nSteps, this.envs.numEnvs];
    const steps = nSteps * this.envs.numEnvs;
    const rows = concrete(arrayType([steps, ...this.obsShape], this.obsDtype), from.obs);
    const values = this.valuesOf(this.acting(state), rows).data() as Float32Array;
    // Where nobody has told the last observation, the one before it is the nearest to it.
    from.untold.forEach((isUntold, at) => {
      if (isUntold !== 0) from.bootstrap[at] = values[at];
    });
    critic.inputs[1][0].set(this.obs);
    critic.run();
    const floats = (elements: Float32Array): Array => concrete(arrayType(lead, "float32"), elements);
    const actionDtype = this.actionShape.length === 0 ? "int32" : "float32";
    return {
      state,
      rollout: {
        obs: concrete(arrayType([...lead, ...this.obsShape], this.obsDtype), from.obs),
        action: concrete(arrayType([...lead, ...this.actionShape], actionDtype), from.action),
        logProb: floats(from.logProb),
        value: floats(values),
        reward: floats(from.reward),
        done: concrete(arrayType(lead, "bool"), from.done),
        bootstrap: floats(from.bootstrap),
      },
      lastValue: concrete(arrayType([this.envs.numEnvs], "float32"), critic.outputs[0].slice()),
      stats: {
        "rollout/mean_reward": meanOf(from.reward),
        "rollout/mean_value": meanOf(values),
        ...this.book.stats(),
        ...this.book.takeLogged(),
      },
    };
  }

  protected greedyProgram(state: PPOAgentState, obs: Array): ResidentProgram {
    const options = { ...this.brain, explore: false };
    return residentProgram(
      (own: PPOAgentState, rng: Array, seen: Array) => [PPO.actBatch({ ...own, rng }, seen, options)[0]],
      [this.acting(state), state.rng, obs] as const,
      { device: this.device },
    );
  }
}
