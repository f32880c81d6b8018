// Learning from replay with a functional environment: playing and learning are one compiled piece, an iteration long.
import { jit, lax, np, random, vmap, type Array } from "../../array/index.js";
import type { SequelTransition } from "../../agent/index.js";
import type { EpisodeInfo, ResetInfo } from "../../env/index.js";
import { endless, type CountedState } from "../episodes.js";
import { episodeTotals, evalKeys } from "../evaluate.js";
import type { MetricArrays } from "../learning.js";
import type { Memory } from "../replay.js";
import type { Stats } from "./callbacks.js";
import { meanOf, type BookState, type EpisodeBook } from "./episodeBook.js";
import { emptyMemory, lessonsOf } from "./lessons.js";
import type { ReplayAgent, ReplayState } from "./offPolicyAgents.js";
import { UpdateFigures, type Hooks, type ReplayEngine, type ReplaySettings } from "./replayEngine.js";
import type { EpisodeResults, EvalOptions, Whereabouts } from "./rollouts.js";
import { readTold, toldIn, type Told } from "./told.js";
import type { FunctionalWorld } from "./worlds.js";

/** What the program carries from step to step besides the agent. */
interface Carry {
  readonly memory: Memory;
  readonly obs: Array;
  readonly envState: CountedState<unknown>;
  readonly rng: Array;
  /** Environment steps since it was time to learn, and in all up to `learningStarts`. */
  readonly since: Array;
  readonly steps: Array;
}

/** What each step gives. */
interface Step {
  readonly transition: SequelTransition;
  readonly metrics: MetricArrays;
  readonly hasLearned: Array;
  readonly returns: Array;
  readonly lengths: Array;
  readonly told: Told;
}

type EndlessInfo = EpisodeInfo & ResetInfo;

type Chunk = (carry: Carry, state: ReplayState) => readonly [Carry, ReplayState, Step];

interface Options {
  readonly world: FunctionalWorld;
  readonly seed: number;
  readonly device: string | undefined;
}

export class CompiledReplay implements ReplayEngine {
  private carry: Carry | null = null;
  private chunk: Chunk | null = null;

  constructor(
    private readonly options: Options,
    private readonly agent: ReplayAgent<ReplayState>,
    private readonly settings: ReplaySettings,
    private readonly book: EpisodeBook,
  ) {}

  start(): void {
    if (this.carry !== null) return;
    const { world, seed } = this.options;
    const [rng, , resetKey] = random.split(random.key(seed), 3);
    const env = endless(world.env, world.params);
    const keys = random.split(resetKey, world.numEnvs);
    const [obs, envState] = vmap((key: Array) => env.reset(key, world.params))(keys);
    const { replay } = lessonsOf(this.agent.learner(1), world.numEnvs);
    const memory = emptyMemory(replay, this.settings.bufferSize, obs.slice(0), world.actions.sample(rng));
    this.carry = { memory, obs, envState, rng, since: np.int32(0), steps: np.int32(0) };
  }

  prepare(updates: number): void {
    const { world, device } = this.options;
    const { rounds, learningStarts } = this.settings;
    const { numEnvs, params } = world;
    const learner = this.agent.learner(updates);
    const lessons = lessonsOf(learner, numEnvs);
    const env = endless(world.env, params);
    const { trainFreq } = learner.config;
    const step = vmap((key: Array, state: CountedState<unknown>, action: Array) =>
      env.step(key, state, action, params),
    );
    const round = ([now, state]: readonly [Carry, ReplayState], _: null) => {
      const [rng, actKey, stepKey, drawKey] = random.split(now.rng, 4);
      const [chosen, acted] = learner.act(state, now.obs, true);
      const anything = vmap(world.actions.sample)(random.split(actKey, numEnvs));
      const action = np.where(now.steps.less(learningStarts), anything, chosen);
      const [obs, envState, reward, , info] = step(random.split(stepKey, numEnvs), now.envState, action);
      const { terminated, truncated, terminalObs, episodeReturn, episodeLength } = info as EndlessInfo;
      const ended = terminated.or(truncated);
      const transition: SequelTransition = {
        ...{ obs: now.obs, action, reward, nextObs: terminalObs, done: terminated, ended },
      };
      const alone = Object.fromEntries(
        Object.entries(transition).map(([name, x]) => [name, (x as Array).slice(null)]),
      ) as unknown as SequelTransition;
      const kept = lessons.takeIn(acted, now.memory, alone);
      const steps = np.minimum(now.steps.add(numEnvs), learningStarts);
      const since = now.since.add(numEnvs);
      const due = np.where(steps.greaterEqual(learningStarts), np.floorDivide(since, trainFreq), 0);
      const { agentState, buffer, metrics, hasLearned } = lessons.learn(
        kept.state,
        kept.memory,
        due,
        drawKey,
      );
      const next: Carry = { memory: buffer, obs, envState, rng, since: since.mod(trainFreq), steps };
      const played: Step = {
        ...{ transition, metrics, hasLearned, returns: episodeReturn, lengths: episodeLength },
        told: toldIn("OffPolicyRunner", info),
      };
      return [[next, agentState] as const, played] as const;
    };
    this.chunk = jit<Chunk>(
      (carry: Carry, state: ReplayState) => {
        const [[next, learned], played] = lax.scan(round, [carry, state] as const, null, { length: rounds });
        return [next, learned, played] as const;
      },
      { donateArgnums: 0, ...(device !== undefined && { device }) },
    );
  }

  play(): never {
    throw new Error("a functional environment is played by iterate; this is a bug in vibe-rl");
  }

  async iterate(hooks: Hooks): Promise<Stats> {
    const { agent, chunk, carry, settings, options } = this;
    if (chunk === null || carry === null) throw new Error("prepare comes first; this is a bug in vibe-rl");
    await hooks.preRollout();
    const [next, state, played] = chunk(carry, agent.state);
    const { transition, metrics, hasLearned, returns, lengths, told } = played;
    this.carry = next;
    agent.state = state;
    this.book.addPlayed({
      ...{ ended: transition.ended.data(), returns: returns.data(), lengths: lengths.data() },
      told: readTold(told),
    });
    const rewards = meanOf(transition.reward.data());
    const figures = new UpdateFigures();
    const lists = Object.entries(metrics).map(([name, list]) => [name, list.data()] as const);
    hasLearned.data().forEach((learned, at) => {
      if (learned !== 0) figures.add(Object.fromEntries(lists.map(([name, list]) => [name, list[at]])));
    });
    await hooks.postRollout(transition, settings.rounds * options.world.numEnvs);
    await hooks.preUpdate();
    const trained = figures.stats(agent);
    await hooks.postUpdate(trained);
    return {
      "rollout/mean_reward": rewards,
      ...this.book.stats(),
      ...this.book.takeLogged(),
      ...trained,
      "buffer/size": next.memory.size.item(),
    };
  }

  evaluate(state: ReplayState, { numEpisodes, maxSteps, round }: EvalOptions): EpisodeResults {
    const { world, seed, device } = this.options;
    const learner = this.agent.learner(1);
    const act = (own: ReplayState, obs: Array) => learner.act(own, obs.slice(null), false)[0].slice(0);
    const play = jit(
      (own: ReplayState, rng: Array) =>
        episodeTotals(act, own, world.env, world.params, { nEpisodes: numEpisodes, maxSteps, rng }),
      device === undefined ? {} : { device },
    );
    const { total, length } = play(state, evalKeys(seed)(round));
    return { rewards: [...total.data()], lengths: [...length.data()] };
  }

  save(): Whereabouts | null {
    return this.carry === null ? null : { ...this.carry, episodes: this.book.getState() };
  }

  load({ episodes, ...carry }: Readonly<Record<string, unknown>>): null {
    this.carry = carry as unknown as Carry;
    this.book.setState(episodes as BookState);
    return null;
  }

  extraState(): Readonly<Record<string, unknown>> {
    return {};
  }

  restore(): void {
    // All of it is in what the environments' side carries.
  }

  close(): void {
    // There is nothing outside memory.
  }
}
