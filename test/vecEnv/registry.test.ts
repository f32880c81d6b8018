// Environments that are objects by their ids.
import { describe, expect, it } from "vitest";
import { isHostEnv, listHostEnvs, makeHost, registerHost, type HostEnv } from "vibe-rl/vecEnv";
import { Walk } from "./games.js";

describe("the registry of host environments", () => {
  it("makes a new environment each time, with options", async () => {
    registerHost("Walk-v1", ({ limit = 6 }) => new Walk(limit as number));
    const [first, second] = [await makeHost("Walk-v1"), await makeHost("Walk-v1", { limit: 1 })];
    expect(first).not.toBe(second);
    await second.reset(0);
    expect((await second.step(0))[3]).toBe(true);
    expect(listHostEnvs()).toContain("Walk-v1");
    expect([isHostEnv("Walk-v1"), isHostEnv("CartPole-v1")]).toEqual([true, false]);
  });

  it("waits for a factory that loads something first", async () => {
    registerHost("LaterWalk-v0", () => Promise.resolve(new Walk()));
    expect(await makeHost("LaterWalk-v0")).toBeInstanceOf(Walk);
  });

  it("refuses an id that is taken, by a functional environment, too, unless it is to be replaced", async () => {
    registerHost("Taken-v0", () => new Walk());
    for (const id of ["Taken-v0", "CartPole-v1"]) {
      expect(() => registerHost(id, () => new Walk())).toThrow(`there is a ${id} already; choose another id`);
    }
    const other = new Walk();
    registerHost("Taken-v0", () => other, { replace: true });
    expect(await makeHost("Taken-v0")).toBe(other);
  });

  it("says what is wrong", async () => {
    expect(() => registerHost("", () => new Walk())).toThrow(
      'the id must be a text such as "Snake-v0", got ""',
    );
    expect(() => registerHost("Nothing-v0", 3 as never)).toThrow(
      "the factory of Nothing-v0 must be a function",
    );
    registerHost("Walking-v0", () => new Walk());
    await expect(makeHost("Wolking-v0")).rejects.toThrow("Walking-v0");
    registerHost("Broken-v0", () => ({}) as HostEnv);
    await expect(makeHost("Broken-v0")).rejects.toThrow(
      "Broken-v0 is no environment: it must have observationSpace",
    );
  });
});
