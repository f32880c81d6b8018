// The Agent protocol: what it accepts, and what it says of what it does not.
import { describe, expect, expectTypeOf, it } from "vitest";
import { AgentState, assertAgent, isAgent, type Agent, type Transition } from "vibe-rl/agent";
import { DQN, type DQNConfig, type DQNState } from "vibe-rl/algorithms/dqn";
import { PPO } from "vibe-rl/algorithms/ppo";
import { SAC, type SACConfig, type SACMetrics, type SACState } from "vibe-rl/algorithms/sac";
import { np, random, type Array } from "vibe-rl/array";

function problems(candidate: unknown): string[] {
  const found: string[] = [];
  isAgent(candidate, (problem) => found.push(problem));
  return found;
}

describe("isAgent", () => {
  it("accepts the algorithms", () => {
    for (const agent of [PPO, DQN, SAC]) expect(isAgent(agent)).toBe(true);
  });

  it("accepts a namespace of functions and a class of static methods", () => {
    const noop = () => undefined;
    // oxlint-disable-next-line typescript/no-extraneous-class -- some people like it so
    class Static {
      static init = noop;
      static act = noop;
      static update = noop;
    }
    expect(isAgent({ init: noop, act: noop, update: noop })).toBe(true);
    expect(isAgent(Static)).toBe(true);
  });

  it("names what is missing", () => {
    expect(isAgent({ init: () => 1 })).toBe(false);
    expect(problems({ init: () => 1, act: 3 })).toEqual([
      "`act` is a number, not a function",
      "`update` is missing",
    ]);
    expect(problems(null)).toEqual(["it is null, not an object"]);
    expect(problems("agent")).toEqual(["it is a string, not an object"]);
  });

  it("says when methods belong to instances", () => {
    class Instance {
      init(): number {
        return 1;
      }
      act(): number {
        return 1;
      }
      static update = () => 1;
    }
    expect(problems(Instance)).toEqual(
      ["init", "act"].map(
        (name) => `\`${name}\` belongs to its instances; agents are not instantiated, so make it static`,
      ),
    );
  });

  it("throws as assertAgent", () => {
    expect(() => {
      assertAgent({ act: () => 1 });
    }).toThrow(
      "assertAgent: not an agent: `init` is missing; `update` is missing. An agent has init, act and update",
    );
  });
});

describe("AgentState", () => {
  it("starts at step 0", () => {
    const state = AgentState.initial({ w: np.ones([2]) }, [], random.key(0));
    expect([state.step.dtype, state.step.item()]).toEqual(["int32", 0]);
    expectTypeOf(state.params.w).toEqualTypeOf<Array>();
  });
});

describe("the protocol's types", () => {
  it("fit an agent of one's own", () => {
    const agent = {
      init: (rng: Array, _obsShape: readonly number[], actions: number, _config: null) =>
        AgentState.initial({ q: np.zeros([actions]) }, null, rng),
      act: (state: AgentState<{ q: Array }, null>, _obs: Array, _options: { explore?: boolean }) =>
        [state.params.q.argmax(), state] as const,
      update: (state: AgentState<{ q: Array }, null>, batch: { reward: Array }) =>
        [state, { loss: batch.reward.mean() }] as const,
    };
    expectTypeOf(agent).toExtend<Agent<AgentState<{ q: Array }, null>, null, { reward: Array }>>();
    expect(isAgent(agent)).toBe(true);
  });

  it("let generic code act without options, whatever the agent", () => {
    const actionOf = <S>(agent: Pick<Agent<S>, "act">, state: S, obs: Array) => agent.act(state, obs)[0];
    const obs = np.zeros([3]);
    expect(actionOf(DQN, DQN.init(random.key(0), [3], 4), obs).dtype).toBe("int32");
    expect(actionOf(SAC, SAC.init(random.key(0), [3], 2), obs).shape).toEqual([2]);
    expectTypeOf(DQN).toExtend<Agent<DQNState, DQNConfig>>();
    expectTypeOf(SAC).toExtend<Agent<SACState, SACConfig, Transition, SACMetrics>>();
  });
});
