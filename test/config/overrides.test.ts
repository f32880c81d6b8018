// Settings from words, typed by the fields they are for.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DQNConfig } from "vibe-rl/algorithms/dqn";
import { PPOConfig } from "vibe-rl/algorithms/ppo";
import { SACConfig } from "vibe-rl/algorithms/sac";
import { applyOverrides, fieldsOf, plainConfig, configFrom, presets, setUp } from "../../src/config/index.js";
import { camelCaseName, snakeCaseName, toCamelCase, toSnakeCase } from "vibe-rl/runDir";
import { RunnerConfig } from "vibe-rl/runner";

const { config } = presets.cartpole_ppo;
const { config: sac } = presets.pendulum_sac;

/** A config with flags given as on a command line. */
const withFlags = (flags: Readonly<Record<string, string | null>>, base = config) =>
  applyOverrides(
    base,
    Object.entries(flags).map(([flag, text]) => ({ flag, text })),
  );

describe("overrides", () => {
  it("are typed by their fields", () => {
    const changed = withFlags({
      ...{ "algo.lr": "1e-3", "algo.hidden_sizes": "(128, 128)", "algo.clip_value_loss": "false" },
      ...{ "algo.target_kl": "0.02", "runner.total_timesteps": "500_000", "runner.plot": "no" },
      ...{ "runner.checkpoint_dir": "some/where", env_id: "Acrobot-v1" },
    });
    expect(changed.algoConfig).toMatchObject({
      ...{ lr: 1e-3, hiddenSizes: [128, 128], clipValueLoss: false, targetKl: 0.02 },
    });
    expect(changed.runner).toMatchObject({
      totalTimesteps: 500_000,
      plot: false,
      checkpointDir: "some/where",
    });
    expect(changed.envId).toBe("Acrobot-v1");
    expect(config.algoConfig).toMatchObject({ lr: 1e-3, hiddenSizes: [64, 64] });
  });

  it("take lists in any brackets or none, and nothing for none", () => {
    const sizes = (text: string) => withFlags({ "algo.hidden_sizes": text }).algoConfig.hiddenSizes;
    expect(["[32,16]", "32, 16", "32 16", "(32, 16,)"].map(sizes)).toEqual(Array(4).fill([32, 16]));
    expect([sizes("64"), sizes("()")]).toEqual([[64], []]);
  });

  it("take null where a field may be null, whatever it is now", () => {
    const now = withFlags({
      "algo.target_kl": "0.1",
      "runner.checkpoint_dir": "x",
      "runner.keep_period": "5",
    });
    const gone = withFlags(
      { "algo.target_kl": "None", "runner.checkpoint_dir": "null", "runner.keep_period": "null" },
      now,
    );
    expect(gone.algoConfig).toMatchObject({ targetKl: null });
    expect(gone.runner).toMatchObject({ checkpointDir: null, keepPeriod: null });
    expect(() => withFlags({ "algo.lr": "null" })).toThrow('--algo.lr must be a number, got "null"');
  });

  it("take a number or a list for the bounds of actions", () => {
    expect(withFlags({ "algo.action_low": "-2" }, sac).algoConfig).toMatchObject({ actionLow: -2 });
    expect(withFlags({ "algo.action_low": "(-2, -1)" }, sac).algoConfig).toMatchObject({
      actionLow: [-2, -1],
    });
  });

  it("are spelled in snake_case, kebab-case or camelCase", () => {
    for (const flag of ["runner.total_timesteps", "runner.total-timesteps", "runner.totalTimesteps"]) {
      expect(withFlags({ [flag]: "512" }).runner.totalTimesteps).toBe(512);
    }
    for (const flag of ["env_id", "env-id", "envId"]) expect(withFlags({ [flag]: "X" }).envId).toBe("X");
  });

  it("name schedules by their words", () => {
    const falling = withFlags({ "algo.lr_schedule": "constant", "algo.clip-schedule": "linear" });
    expect(falling.algoConfig).toMatchObject({ lrSchedule: "constant", clipSchedule: "linear" });
    expect(() => withFlags({ "algo.lr_schedule": "cosine" })).toThrow(
      /lrSchedule must be "constant" or "linear", got "cosine"/,
    );
  });

  it("without a value switch on what can be switched, and nothing else", () => {
    const off = withFlags({ "runner.plot": "false" });
    expect(withFlags({ "runner.plot": null }, off).runner.plot).toBe(true);
    for (const [flag, wanted] of [
      ["runner.checkpoint_dir", "a path or null"],
      ["env_id", "a text"],
      ["algo.lr", "a number"],
      ["algo.hidden_sizes", "a list"],
    ]) {
      expect(() => withFlags({ [flag]: null })).toThrow(`--${flag} must be ${wanted}, got nothing`);
      expect(() => withFlags({ [flag]: "" })).toThrow(`--${flag} must be ${wanted}, got nothing`);
    }
    expect(() => withFlags({ "runner.plot": "" })).toThrow(
      "--runner.plot must be true or false, got nothing",
    );
  });

  it("that are wrong are refused by name", () => {
    expect(() => withFlags({ "algo.learning_rat": "1" })).toThrow(/there is no --algo\.learning_rat/);
    expect(() => withFlags({ "algo.hiden_sizes": "1" })).toThrow(
      "there is no --algo.hiden_sizes; did you mean --algo.hidden_sizes? --help lists all",
    );
    expect(() => withFlags({ "runner.plot": "maybe" })).toThrow(
      '--runner.plot must be true or false, got "maybe"',
    );
    expect(() => withFlags({ "algo.lr": "fast" })).toThrow('--algo.lr must be a number, got "fast"');
    expect(() => withFlags({ "algo.hidden_sizes": "(64, wide)" })).toThrow(/must be a list of numbers/);
    expect(() => withFlags({ "algo.lr": "-1" })).toThrow(/lr must be a number greater than 0, got -1/);
    expect(() => withFlags({ "algo.target_kl": "soon" })).toThrow(/must be a number or null, got "soon"/);
  });
});

/** The fields of a config that are not the defaults, as the documentation has them. */
const differing = (one: object, defaults: object): string => {
  const usual = new Map(Object.entries(defaults).map(([name, value]) => [name, JSON.stringify(value)]));
  return Object.entries(one)
    .filter(([name, value]) => JSON.stringify(value) !== usual.get(name))
    .map(([name, value]) => `\`${name}\` ${JSON.stringify(value).replaceAll(",", ", ")}`)
    .join(", ");
};

describe("presets", () => {
  it("are in docs/configuration.md as they are here", () => {
    const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    const rows = page.split("\n").map((line) => line.replaceAll(/ +/g, " "));
    const builders = { ppo: PPOConfig, dqn: DQNConfig, sac: SACConfig };
    for (const [name, { config: one }] of Object.entries(presets)) {
      const steps = one.runner.totalTimesteps.toLocaleString("en");
      const { totalTimesteps: _, ...runner } = one.runner;
      const settings = [
        differing(one.algoConfig, builders[one.algo].defaults),
        differing(runner, RunnerConfig.defaults),
      ]
        .filter((text) => text !== "")
        .join(", ");
      const row = `| \`${name}\` | ${one.envId} | ${one.algo.toUpperCase()} | ${steps} | ${settings} |`;
      expect(rows).toContain(row);
    }
  });

  it("are those that are promised, with their settings", () => {
    const promised = [
      ...["cartpole_ppo", "cartpole_dqn", "pendulum_ppo", "pendulum_sac", "gridworld_dqn", "acrobot_ppo"],
      ...["mountaincar_dqn", "pixelgrid_ppo"],
      ...["breakout_ppo", "asterix_ppo", "freeway_ppo", "space_invaders_ppo", "seaquest_ppo"],
    ];
    expect(Object.keys(presets).sort()).toEqual(promised.sort());
    expect(config).toMatchObject({
      envId: "CartPole-v1",
      algo: "ppo",
      algoConfig: { hiddenSizes: [64, 64], lr: 1e-3, nSteps: 32, nMinibatches: 32, nEpochs: 1, numEnvs: 8 },
      runner: { totalTimesteps: 100_000 },
    });
    expect(sac.runner.totalTimesteps).toBe(200_000);
    expect(presets.gridworld_dqn.config.runner.totalTimesteps).toBe(50_000);
  });

  it("can all be set up", () => {
    for (const [name, { config: one, description }] of Object.entries(presets)) {
      const { trainer } = setUp(one);
      expect([name, trainer.algorithm.toLowerCase(), trainer.units > 0]).toEqual([name, one.algo, true]);
      expect(description.length).toBeGreaterThan(10);
    }
  });
});

describe("fields", () => {
  it.each(Object.keys(presets))("of %s all have a kind and a meaning, and take what they are", (name) => {
    const { config: one } = presets[name];
    const fields = fieldsOf(one);
    const names = [...Object.keys(one.algoConfig), ...Object.keys(one.runner)].map(snakeCaseName);
    expect(fields.map(({ flag }) => flag.replace(/^\w+\./, ""))).toEqual(["env_id", ...names]);
    for (const { flag, kind, value, meaning } of fields) {
      expect([flag, meaning.length > 5, kind.length > 3]).toEqual([flag, true, true]);
      const text = Array.isArray(value) ? `(${value.join(", ")})` : String(value);
      expect(withFlags({ [flag]: text }, one)).toEqual(one);
      expect(camelCaseName(snakeCaseName(flag))).toBe(camelCaseName(flag));
    }
  });
});

describe("a config on disk", () => {
  it.each(Object.keys(presets))("of %s comes back as it was", (name) => {
    const { config: one } = presets[name];
    const onDisk: unknown = JSON.parse(JSON.stringify(toSnakeCase(plainConfig(one, name))));
    expect(onDisk).toMatchObject({ preset: name, env_id: one.envId, algo: one.algo });
    expect(configFrom(toCamelCase(onDisk) as Record<string, unknown>, "config.json")).toEqual(one);
  });

  it("that is something else is refused", () => {
    expect(() => configFrom({}, "a.json")).toThrow(/a\.json is no config of a training run/);
    expect(() => configFrom({ envId: "X", algo: "a2c" }, "a.json")).toThrow(/"a2c"; there are ppo, dqn, sac/);
    expect(() => configFrom({ envId: "X", algo: "ppo", algoConfig: { lr: "high" } }, "a.json")).toThrow(
      /a\.json: algo_config is no PPOConfig: lr must be/,
    );
    expect(() => configFrom({ envId: "X", algo: "dqn" }, "a.json")).toThrow(/a\.json: needs algo_config/);
    expect(() => configFrom({ envId: "X", algo: "sac", algoConfig: {}, runner: null }, "a.json")).toThrow(
      /a\.json: needs runner, got null/,
    );
  });
});
