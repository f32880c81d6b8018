// Learning from replay with environments that are objects: they are stepped on the host, and between steps one compiled
// program keeps what happened and learns from it. Its memory of transitions never leaves the program.
import {
  arrayType,
  concrete,
  itemSize,
  jit,
  np,
  random,
  residentProgram,
  sizeOf,
  viewBytes,
  vmap,
  type Array,
  type DType,
  type ResidentProgram,
  type TypedArray,
} from "../../array/index.js";
import type { SequelTransition } from "../../agent/index.js";
import type { VecStep } from "../../vecEnv/index.js";
import type { MetricArrays } from "../learning.js";
import type { Memory } from "../replay.js";
import type { Stats } from "./callbacks.js";
import { meanOf, type EpisodeBook } from "./episodeBook.js";
import { actionWriter, type ActionWriter } from "./hostActions.js";
import { HostPlayer, type HostPlayerOptions } from "./hostPlayer.js";
import { emptyMemory, lessonsOf } from "./lessons.js";
import type { ReplayAgent, ReplayState } from "./offPolicyAgents.js";
import { UpdateFigures, type Hooks, type ReplayEngine, type ReplaySettings } from "./replayEngine.js";

const storageFor = (dtype: DType, size: number): TypedArray =>
  viewBytes(dtype, new ArrayBuffer(size * itemSize(dtype)), 0, size);

type Learn = (
  memory: Memory,
  state: ReplayState,
  played: SequelTransition,
  due: Array,
  rng: Array,
) => readonly [Memory, ReplayState, MetricArrays, Array, Array];

export class HostReplay extends HostPlayer<ReplayState, SequelTransition> implements ReplayEngine {
  private readonly write: ActionWriter;
  private memory: Memory | null = null;
  private rng: Array;
  /** Environment steps since it was time to learn, and in all. */
  private since = 0;
  private steps = 0;
  private learn: Learn | null = null;
  private policy: ResidentProgram | null = null;
  private anything: ResidentProgram | null = null;
  /** Steps of all environments that are to be played next. */
  private rounds = 1;

  constructor(
    private readonly own: HostPlayerOptions,
    private readonly agent: ReplayAgent<ReplayState>,
    private readonly settings: ReplaySettings,
    private readonly book: EpisodeBook,
  ) {
    super(own, book);
    const { world, seed } = own;
    this.write = actionWriter(world.actions, world.numEnvs);
    [this.rng] = random.split(random.key(seed), 3);
  }

  prepare(updates: number): void {
    const { world, device } = this.own;
    const learner = this.agent.learner(updates);
    const { replay, takeIn, learn } = lessonsOf(learner, world.numEnvs);
    const example = this.batchOf(this.obs).slice(0);
    const action = np.zeros(world.actions.shape, { dtype: world.actions.dtype });
    this.memory ??= emptyMemory(replay, this.settings.bufferSize, example, action);
    this.learn = jit(
      (memory: Memory, state: ReplayState, played: SequelTransition, due: Array, rng: Array) => {
        const [next, key] = random.split(rng);
        const kept = takeIn(state, memory, played);
        const { agentState, buffer, metrics, hasLearned } = learn(kept.state, kept.memory, due, key);
        return [buffer, agentState, metrics, hasLearned, next] as const;
      },
      { donateArgnums: 0, ...(device !== undefined && { device }) },
    );
    const { state } = this.agent;
    const acting = this.agent.actingOf(state);
    const obs = this.batchOf(this.obs);
    this.policy = residentProgram(
      (given: object, rng: Array, seen: Array) => {
        const [actions, next] = learner.act({ ...given, rng } as ReplayState, seen, true);
        return [actions, next.rng];
      },
      [acting, state.rng, obs] as const,
      { device },
    );
    this.anything ??= residentProgram(
      (rng: Array) => {
        const [next, key] = random.split(rng);
        return [vmap(world.actions.sample)(random.split(key, world.numEnvs)), next];
      },
      [state.rng] as const,
      { device },
    );
  }

  async iterate(hooks: Hooks): Promise<Stats> {
    const { agent, settings, envs } = this;
    const { trainFreq } = agent.config;
    const figures = new UpdateFigures();
    let rewards = 0;
    for (let made = 0; made < settings.rounds; made += this.rounds) {
      const untilDue = Math.ceil((trainFreq - this.since) / envs.numEnvs);
      this.rounds = Math.min(settings.rounds - made, Math.max(1, untilDue));
      await hooks.preRollout();
      const transitions = await this.play(agent.state);
      rewards += meanOf(transitions.reward.data()) * this.rounds;
      await hooks.postRollout(transitions, this.rounds * envs.numEnvs);
      await hooks.preUpdate();
      const metrics = this.study(transitions);
      if (metrics !== null) figures.add(metrics);
      await hooks.postUpdate(metrics === null ? {} : agent.stats(metrics));
    }
    return {
      "rollout/mean_reward": rewards / settings.rounds,
      ...this.book.stats(),
      ...this.book.takeLogged(),
      ...figures.stats(agent),
      "buffer/size": Math.min(settings.bufferSize, this.steps),
    };
  }

  /** Keeps what was played and learns if it is time; what the updates measured, or null. */
  private study(transitions: SequelTransition): Readonly<Record<string, number>> | null {
    const { agent, settings, learn, memory } = this;
    if (learn === null || memory === null) throw new Error("prepare comes first; this is a bug in vibe-rl");
    const { trainFreq } = agent.config;
    this.since += this.rounds * this.envs.numEnvs;
    const times = Math.floor(this.since / trainFreq);
    this.since %= trainFreq;
    const due = this.steps >= settings.learningStarts ? times : 0;
    const [kept, state, metrics, hasLearned, rng] = learn(
      ...([memory, agent.state, transitions, np.int32(due), this.rng] as const),
    );
    this.memory = kept;
    this.rng = rng;
    agent.state = state;
    if (!hasLearned.item<boolean>()) return null;
    const entries = Object.entries(metrics).map(([name, value]) => [name, value.item()] as const);
    return Object.fromEntries(entries);
  }

  async play(state: ReplayState): Promise<SequelTransition> {
    const { envs, policy, anything, rounds, settings, own } = this;
    if (policy === null || anything === null)
      throw new Error("prepare comes first; this is a bug in vibe-rl");
    const { world } = own;
    const { numEnvs } = envs;
    const count = rounds * numEnvs;
    policy.set(0, this.agent.actingOf(state));
    const rng = (state.rng.data() as Uint32Array).slice();
    const [obs, nextObs] = [0, 1].map(() => storageFor(world.obsDtype, count * envs.obsSize));
    const action = storageFor(world.actions.dtype, count * sizeOf(world.actions.shape));
    const [reward, done, ended] = [new Float32Array(count), new Uint8Array(count), new Uint8Array(count)];
    for (let at = 0; at < rounds; at++) {
      const place = at * this.obs.length;
      obs.set(this.obs, place);
      const isRandom = this.steps < settings.learningStarts;
      const program = isRandom ? anything : policy;
      program.inputs[isRandom ? 0 : 1][0].set(rng);
      if (!isRandom) policy.inputs[2][0].set(this.obs);
      program.run();
      const [actions, nextRng] = program.outputs;
      rng.set(nextRng);
      action.set(actions, at * actions.length);
      const stepped = envs.step(this.write(actions));
      const step = "then" in stepped ? await stepped : stepped;
      reward.set(step.rewards, at * numEnvs);
      ended.set(step.dones, at * numEnvs);
      this.writeEnds(step, nextObs.subarray(place, place + this.obs.length), done, at * numEnvs);
      this.book.add(step);
      this.obs.set(step.obs);
      this.steps += numEnvs;
    }
    this.agent.state = { ...state, rng: concrete(state.rng.type, rng) };
    const lead = [rounds, numEnvs];
    const { obsShape, obsDtype, actions } = world;
    const array = (elements: TypedArray, dtype: DType, shape: readonly number[] = []): Array =>
      concrete(arrayType([...lead, ...shape], dtype), elements);
    return {
      obs: array(obs, obsDtype, obsShape),
      action: array(action, actions.dtype, actions.shape),
      reward: array(reward, "float32"),
      nextObs: array(nextObs, obsDtype, obsShape),
      done: array(done, "bool"),
      ended: array(ended, "bool"),
    };
  }

  /** What was seen last in each episode, and whether nothing follows. */
  private writeEnds(step: VecStep, into: TypedArray, done: Uint8Array, place: number): void {
    const { numEnvs, obsSize } = this.envs;
    const { timeOuts, terminated, finalObservation } = step.extras;
    into.set(step.obs);
    for (let env = 0; env < numEnvs; env++) {
      if (step.dones[env] === 0) continue;
      done[place + env] = terminated?.[env] ?? (timeOuts[env] === 0 ? 1 : 0);
      const [from, to] = [env * obsSize, (env + 1) * obsSize];
      // Where nobody has told the last observation, the one before it is the nearest to it.
      into.set((finalObservation ?? this.obs).subarray(from, to), from);
    }
  }

  protected acting(state: ReplayState): object {
    return this.agent.actingOf(state);
  }

  protected greedyProgram(state: ReplayState, obs: Array): ResidentProgram {
    // Greedy actions do not depend on how long the run is.
    const learner = this.agent.learner(1);
    return residentProgram(
      (given: object, rng: Array, seen: Array) => [
        learner.act({ ...given, rng } as ReplayState, seen, false)[0],
      ],
      [this.acting(state), state.rng, obs] as const,
      { device: this.device },
    );
  }

  extraState(): Readonly<Record<string, unknown>> {
    const { memory, rng, since, steps } = this;
    return { replay: { memory, rng, since, steps } };
  }

  restore({ replay }: Readonly<Record<string, unknown>>): void {
    const { memory, rng, since, steps } = replay as Kept;
    this.memory = memory;
    this.rng = rng;
    this.since = since;
    this.steps = steps;
  }
}

/** What a checkpoint holds of it. */
interface Kept {
  readonly memory: Memory | null;
  readonly rng: Array;
  readonly since: number;
  readonly steps: number;
}
