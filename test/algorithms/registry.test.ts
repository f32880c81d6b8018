// Algorithms are registered in one place, and everything else follows.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { DQNConfig } from "vibe-rl/algorithms/dqn";
import type { PPOConfig, PPOState } from "vibe-rl/algorithms/ppo";
import type { TrainConfig } from "vibe-rl/config";
import { algorithmNames, algorithmOf } from "../../src/algorithms/index.js";
import type { ActionsOf, AgentStateOf, ConfigOf, algorithms } from "../../src/algorithms/index.js";

const source = fileURLToPath(new URL("../../src", import.meta.url));

describe("the registry of algorithms", () => {
  it("has a folder for each, which nobody else names but the runner's table", () => {
    const folders = readdirSync(path.join(source, "algorithms"), { withFileTypes: true });
    const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(algorithmNames.toSorted()).toEqual(names.toSorted());
    const named = new RegExp(`["'\`.](${names.join("|")})["'\`]|\\b(${names.join("|")}):`);
    const files = (readdirSync(source, { recursive: true }) as string[]).filter(
      (file) => file.endsWith(".ts") && !/^(algorithms|exports)\b/.test(file),
    );
    const naming = files.filter((file) => named.test(readFileSync(path.join(source, file), "utf8")));
    // Class runners are made for one family of algorithms each, and the command line chooses between them.
    expect(naming.map((file) => file.replaceAll(path.sep, "/")).sort()).toEqual([
      "cli/hostEnvSetup.ts",
      "runner/classes/offPolicyRunner.ts",
      "runner/classes/onPolicyRunner.ts",
      "runner/registry.ts",
    ]);
  });

  it("says of each what every field means, how it acts, and what is known to learn", () => {
    for (const name of algorithmNames) {
      const { config, meanings, presets, acting, actions } = algorithmOf(name);
      expect(Object.keys(meanings).sort()).toEqual(Object.keys(config.defaults).sort());
      expect(Object.keys(presets).every((preset) => preset.includes(name))).toBe(true);
      expect([acting.fields.length > 0, actions.length > 0]).toEqual([true, true]);
      for (const { algo } of Object.values(presets)) expect(() => config(algo)).not.toThrow();
    }
  });

  it("is where the types of configs and states come from", () => {
    expectTypeOf<ConfigOf<"dqn">>().toEqualTypeOf<Readonly<DQNConfig>>();
    expectTypeOf<AgentStateOf<"ppo">>().toEqualTypeOf<PPOState>();
    expectTypeOf<ActionsOf<"dqn">>().toEqualTypeOf<"discrete">();
    expectTypeOf<ActionsOf<"ppo">>().toEqualTypeOf<"discrete" | "continuous">();
    expectTypeOf<TrainConfig["algo"]>().toEqualTypeOf<keyof typeof algorithms>();
    expectTypeOf<Extract<TrainConfig, { algo: "ppo" }>["algoConfig"]>().toEqualTypeOf<Readonly<PPOConfig>>();
  });
});
