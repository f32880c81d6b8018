// The examination of an environment: what it returns, piece by piece, against what environments promise.
import { Array, evalShape, np, random, tree, type DType } from "../../array/index.js";
import type { Environment, Info } from "../environment.js";
import type { Space } from "../spaces.js";
import { firstDifference, hasNaN, kindOf, messageOf, typeDifference, typeOf } from "./compare.js";

/** Thrown where nothing more can be found out. */
export class Stop extends Error {}

interface Results {
  readonly obs: Array;
  readonly state: unknown;
  readonly reward: Array;
  readonly done: Array;
  readonly info: Info;
}

const listed = ({ obs, state, reward, done, info }: Results) => [obs, state, reward, done, info];

/** One examination; a problem that turns up on every step is noted once. */
export class Examination {
  readonly problems = new Set<string>();

  constructor(private readonly env: Environment) {}

  all(given: unknown, key: Array, steps: number): void {
    this.members();
    const params = given ?? this.attempt("defaultParams()", () => this.env.defaultParams());
    this.leavesAreArrays(
      given === undefined ? "defaultParams()" : "params",
      params,
      "so that it can be traced and differ between environments",
    );
    const spaces = {
      obs: this.space("observationSpace", params),
      action: this.space("actionSpace", params),
    };
    const [obs, state] = this.reset("reset", () => this.env.reset(key, params));
    this.observation("reset", obs, spaces.obs);
    const action = spaces.action.sample(key);
    const first = this.step(() => this.env.step(key, state, action, params));
    this.traces("reset", () => evalShape((k: Array, p: unknown) => this.env.reset(k, p), key, params));
    this.traces("step", () =>
      evalShape(
        (k: Array, s: unknown, a: Array, p: unknown) => this.env.step(k, s, a, p) as unknown,
        key,
        state,
        action,
        params,
      ),
    );
    this.agrees("reset", "the same key", [obs, state], this.env.reset(key, params));
    this.episode(key, params, spaces, state, first, steps);
    this.picture(state, params);
  }

  /** What can be seen without running it: structures, shapes and dtypes of what it returns. */
  look(params: unknown): void {
    this.members();
    const spaces = {
      obs: this.space("observationSpace", params),
      action: this.space("actionSpace", params),
    };
    evalShape((key: Array) => {
      const [obs, state] = this.reset("reset", () => this.env.reset(key, params));
      this.observationType("reset", obs, spaces.obs);
      const action = spaces.action.sample(key);
      const results = this.step(() => this.env.step(key, state, action, params));
      this.observationType("step", results.obs, spaces.obs);
      this.stepTypes(results, state);
      return [];
    }, random.key(0));
  }

  note(problem: string): void {
    this.problems.add(problem);
  }

  stop(problem: string): never {
    this.note(problem);
    throw new Stop();
  }

  /** Calls a part of the environment; an exception is a problem that ends the examination. */
  attempt<T>(what: string, call: () => T): T {
    try {
      return call();
    } catch (error) {
      return this.stop(`${what} throws: ${messageOf(error)}`);
    }
  }

  members(): void {
    const env = this.env as unknown as Readonly<Record<string, unknown>>;
    if (typeof env.name !== "string" || env.name === "") this.note('name must be a text, as in "MyGame-v0"');
    const methods = ["defaultParams", "reset", "step", "observationSpace", "actionSpace"];
    const missing = methods.filter((method) => typeof env[method] !== "function");
    if (missing.length > 0) this.stop(`it has no method ${missing.join(", ")}`);
  }

  leavesAreArrays(what: string, of: unknown, reason: string): void {
    let all = true;
    tree.mapWithPath((path, leaf: unknown) => {
      if (leaf instanceof Array) return;
      all = false;
      const place = path === "" ? what : `${path} of ${what}`;
      const cure = typeof leaf === "number" ? "np.float32(…) or np.int32(…)" : "an array";
      const given = typeof leaf === "function" ? "a function" : JSON.stringify(leaf);
      this.note(`${place} is ${given}, not an array; make it ${cure}, ${reason}`);
    }, of);
    if (!all) throw new Stop();
  }

  space(method: "observationSpace" | "actionSpace", params: unknown): Space {
    const space: unknown = this.attempt(`${method}(params)`, () => this.env[method](params));
    const isSpace = typeof space === "object" && space !== null && "kind" in space && "contains" in space;
    if (!isSpace) this.stop(`${method}(params) must return a Box, Discrete, MultiBinary or Image`);
    return space as Space;
  }

  reset(what: string, call: () => unknown): readonly [obs: Array, state: unknown] {
    const result = this.attempt(what, call);
    if (!globalThis.Array.isArray(result) || result.length !== 2) {
      this.stop(`reset must return [obs, state], got ${kindOf(result)}`);
    }
    const [obs, state] = result as unknown[];
    if (!(obs instanceof Array)) this.stop(`the observation of reset must be an array, got ${kindOf(obs)}`);
    this.leavesAreArrays(
      "the state that reset returns",
      state,
      "since states are carried through compiled loops",
    );
    return [obs, state];
  }

  /** A step's results, with the parts that everything else relies on. */
  step(call: () => unknown): Results {
    const result = this.attempt("step", call);
    if (!globalThis.Array.isArray(result) || result.length !== 5) {
      this.stop(`step must return [obs, state, reward, done, info], got ${kindOf(result)}`);
    }
    const [obs, state, reward, done, info] = result as unknown[];
    for (const [name, value] of Object.entries({ obs, reward, done })) {
      if (!(value instanceof Array)) this.stop(`${name} of step must be an array, got ${kindOf(value)}`);
    }
    this.leavesAreArrays(
      "the state that step returns",
      state,
      "since states are carried through compiled loops",
    );
    const named = info as Partial<Info> | null;
    for (const name of ["terminated", "truncated"] as const) {
      if (!(named?.[name] instanceof Array)) {
        this.stop(`info of step must have ${name}, a bool scalar, got ${kindOf(named?.[name])}`);
      }
    }
    this.leavesAreArrays("the info that step returns", info, "since it is collected by compiled loops");
    return { obs, state, reward, done, info } as Results;
  }

  /** Whether an observation has the type that its space says. */
  observationType(from: "reset" | "step", obs: Array, space: Space): boolean {
    const [own, wanted] = [typeOf(obs), typeOf(space)];
    if (own !== wanted)
      this.note(`the observation of ${from} is ${own}, but observationSpace says ${wanted}`);
    return own === wanted;
  }

  observation(from: "reset" | "step", obs: Array, space: Space): void {
    if (!this.observationType(from, obs, space)) return;
    if (hasNaN(obs)) {
      this.note(`the observation of ${from} holds NaN: ${obs.toString()}`);
    } else if (!space.contains(obs).item<boolean>()) {
      this.note(
        `the observation of ${from} lies outside observationSpace: ${obs.toString()} is not in ${space.toString()}`,
      );
    }
  }

  /** Records a part of the environment as a program, as jit would. */
  traces(what: "reset" | "step", record: () => unknown): void {
    try {
      record();
    } catch (error) {
      this.note(
        `${what} works with numbers but cannot be compiled; write branches on values with np.where or lax.cond, ` +
          `loops with lax, and read no values (${messageOf(error)})`,
      );
    }
  }

  /** Notes what differs between two calls with the same arguments. */
  agrees(what: "reset" | "step", given: string, first: unknown, second: unknown): void {
    const difference = firstDifference(first, second);
    if (difference === null) return;
    const names = what === "reset" ? ["obs", "state"] : ["obs", "state", "reward", "done", "info"];
    const place = difference.replace(/^\[(\d)\]/, (_, at: string) => names[Number(at)]);
    this.note(
      `${what} gives different results for ${given} (${place}); draw random numbers from the key with random, ` +
        `and keep what changes in the state`,
    );
  }

  /** Random actions: everything must keep its structure, shapes and dtypes, and mean what it says. */
  episode(
    key: Array,
    params: unknown,
    spaces: { readonly obs: Space; readonly action: Space },
    start: unknown,
    first: Results,
    steps: number,
  ): void {
    let state = start;
    const known = this.problems.size;
    for (let iteration = 0; iteration < steps; iteration++) {
      const [actionKey, stepKey, resetKey] = random.split(random.foldIn(key, iteration), 3);
      const action = spaces.action.sample(actionKey);
      const take = () => this.step(() => this.env.step(stepKey, state, action, params));
      const results = take();
      const { obs, reward, done, info } = results;
      this.observation("step", obs, spaces.obs);
      this.stepTypes(results, start);
      this.keeps("info", "that of the first step", info, first.info);
      this.agrees("step", "the same key, state and action", listed(results), listed(take()));
      if (this.problems.size > known) return;
      this.endsConsistently(results);
      if (!np.isfinite(reward).item<boolean>()) this.note(`the reward of a step is ${String(reward.item())}`);
      state = results.state;
      if (done.item<boolean>()) [, state] = this.reset("reset", () => this.env.reset(resetKey, params));
    }
  }

  /** The types of what a step returns from a state. */
  stepTypes({ state, reward, done, info }: Results, before: unknown): void {
    this.scalar("reward", reward, "float32");
    this.scalar("done", done, "bool");
    this.scalar("info.terminated", info.terminated, "bool");
    this.scalar("info.truncated", info.truncated, "bool");
    this.keeps("the state that step returns", "the one that reset returns", state, before);
  }

  scalar(name: string, value: Array, dtype: DType): void {
    if (typeOf(value) !== dtype) this.note(`${name} of step must be a ${dtype} scalar, got ${typeOf(value)}`);
  }

  keeps(what: string, before: string, now: unknown, then: unknown): void {
    const difference = typeDifference(now, then);
    if (difference !== null) {
      this.note(`${what} must have the structure, shapes and dtypes of ${before}, but ${difference}`);
    }
  }

  endsConsistently({ done, info: { terminated, truncated } }: Results): void {
    const [ends, isTerminated, isTruncated] = [done, terminated, truncated].map((x) => x.item<boolean>());
    if (ends !== (isTerminated || isTruncated)) {
      this.note(
        `done must be info.terminated or info.truncated, got done ${ends}, terminated ${isTerminated}, truncated ${isTruncated}`,
      );
    }
  }

  picture(state: unknown, params: unknown): void {
    if (this.env.render === undefined) return;
    const drawn: unknown = this.attempt("render", () => this.env.render?.(state, params));
    if (typeof drawn !== "string" || !drawn.trimStart().startsWith("<svg")) {
      this.note(`render must return SVG, a text that starts with <svg, got ${kindOf(drawn)}`);
    }
  }
}
