// Names on disk and in TypeScript.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { camelCaseName, snakeCaseName, toCamelCase, toSnakeCase } from "vibe-rl/runDir";

describe("names", () => {
  it("go to snake_case and back", () => {
    const pairs = [
      ["totalTimesteps", "total_timesteps"],
      ["nSteps", "n_steps"],
      ["lr", "lr"],
      ["b1", "b1"],
      ["fc1Size", "fc1_size"],
      ["gaeLambda", "gae_lambda"],
    ];
    for (const [camel, snake] of pairs) {
      expect([snakeCaseName(camel), camelCaseName(snake)]).toEqual([snake, camel]);
    }
  });

  it("take kebab-case from the command line, and capitals together", () => {
    expect(camelCaseName("total-timesteps")).toBe("totalTimesteps");
    expect([snakeCaseName("targetKL"), snakeCaseName("useGAELambda")]).toEqual([
      "target_kl",
      "use_gae_lambda",
    ]);
  });

  it("leave what is no such name alone", () => {
    for (const name of ["CartPole-v1", "_private", "a/b", "A", ""]) {
      expect([snakeCaseName(name), camelCaseName(name)]).toEqual([name, name]);
    }
  });

  it("are renamed through a whole tree, values untouched", () => {
    const config = {
      envId: "someValue",
      list: [{ nSteps: 1 }, "keepMe"],
      map: { "cart-pole": { aB: null } },
    };
    expect(toSnakeCase(config)).toEqual({
      env_id: "someValue",
      list: [{ n_steps: 1 }, "keepMe"],
      map: { "cart-pole": { a_b: null } },
    });
    expect(toCamelCase(toSnakeCase(config))).toEqual(config);
  });

  it("survive the way there and back if they have no capitals in a row", () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    const name = fc
      .tuple(word, fc.array(fc.stringMatching(/^[A-Z][a-z0-9]{1,5}$/)))
      .map(([a, b]) => a + b.join(""));
    fc.assert(fc.property(name, (camel) => camelCaseName(snakeCaseName(camel)) === camel));
  });
});
