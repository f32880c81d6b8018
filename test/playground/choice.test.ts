// Choices in addresses.
import { describe, expect, it } from "vitest";
import { fromHash, startingChoice, toHash } from "../../site/playground/choice.js";
import { toCsv } from "../../site/playground/curve.js";
import { catalog, configOf, describe as describeSettings } from "../../site/components/worker/settings.js";

const known = catalog();

describe("addresses", () => {
  it("have only what differs from the preset", () => {
    const start = startingChoice(known, "CartPole-v1", "ppo", 1);
    expect(toHash(start, known, null)).toBe("env=CartPole-v1&algo=ppo");
    const changed = { ...start, preset: "acrobot_ppo", changes: { "algo.lr": "1e-3" }, devices: 2 };
    expect(toHash(changed, known, null)).toBe(
      "env=CartPole-v1&algo=ppo&preset=acrobot_ppo&algo.lr=1e-3&devices=2",
    );
  });

  it("give the same choice back", () => {
    for (const { id, algos } of known.environments) {
      for (const algo of algos) {
        const choice = { ...startingChoice(known, id, algo, 2), changes: { "runner.seed": "7" } };
        expect(fromHash(toHash(choice, known, null), known, 4)).toEqual({
          choice,
          code: null,
          isTraining: false,
          problem: null,
        });
      }
    }
  });

  it("of what there is not are told in words, and the rest of them holds", () => {
    const { choice, problem } = fromHash("#env=Chess&algo=alphazero&preset=best&devices=99", known, 4);
    expect(choice).toEqual({ ...startingChoice(known, "CartPole-v1", "ppo", 4) });
    expect(problem).toContain('there is no environment "Chess"; there is no algorithm "alphazero"');
    expect(problem).toContain(
      'there is no preset "best" for it; 99 devices were asked for, there are 4 here',
    );
    expect(fromHash("#env=Pendulum-v1&algo=dqn", known, 1).problem).toContain(
      "dqn cannot act in Pendulum-v1",
    );
  });

  it("can ask for training at once", () => {
    expect(fromHash("#env=CartPole-v1&train", known, 1).isTraining).toBe(true);
  });
});

describe("settings", () => {
  const settings = { algo: "ppo", preset: "cartpole_ppo", changes: {} } as const;

  it("start from the preset, with the meanings that the command line has", () => {
    const { fields, problems } = describeSettings(settings);
    expect(problems).toEqual({});
    expect(fields.find(({ flag }) => flag === "algo.gamma")).toMatchObject({
      ...{ kind: "number", value: 0.98, meaning: "discount for each step" },
    });
    expect(configOf({ ...settings, changes: { "algo.gamma": "0.9" } }).algoConfig.gamma).toBe(0.9);
  });

  it("are refused in the config's own words, by their flags", () => {
    const changes = { "algo.gamma": "2", "algo.lr": "fast", "runner.seed": "1" };
    expect(describeSettings({ ...settings, changes }).problems).toEqual({
      "algo.gamma": "gamma must be a number from 0 to 1, got 2",
      "algo.lr": 'algo.lr must be a number, got "fast"',
    });
  });

  it("that contradict each other only alone are fine together, and told once where they are not", () => {
    const together = { "algo.n_minibatches": "5", "algo.n_steps": "40" };
    expect(describeSettings({ ...settings, changes: together }).problems).toEqual({});
    const { problems } = describeSettings({ ...settings, changes: { "algo.n_minibatches": "5" } });
    expect(Object.values(problems)).toEqual([
      "nMinibatches is 5, which does not divide the 256 steps of a rollout (nSteps 32 × numEnvs 8)",
    ]);
  });
});

describe("curves as tables", () => {
  it("have a column for every number, empty where a record has none", () => {
    const records = [
      { step: 1, loss: 0.5, episode_returns: [1, 2] },
      { step: 2, eval_return: 3 },
    ];
    expect(toCsv(records)).toBe("step,loss,eval_return\n1,0.5,\n2,,3\n");
  });
});
