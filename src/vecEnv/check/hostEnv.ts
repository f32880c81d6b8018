// checkHostEnv: finds what an environment of one's own gets wrong, before a training run does.
import { check, checkOptions, describe, rules } from "../../array/index.js";
import { classOf } from "../errors.js";
import { hostEnvProblem } from "../hostEnvs.js";
import { tellInfo } from "../infos.js";
import { actionAt, layoutOf, newArray, type Layout } from "../layout.js";
import { obsWriter, type WriteObs } from "../observations.js";
import type { HostArray, HostEnv, HostInfo } from "../types.js";
import { problemsOf, refuse, type Notes } from "./notes.js";
import { boundsOf, difference, notPlain, outside, sampleActions, type Bounds } from "./values.js";

export interface CheckHostEnvOptions {
  /** Seed of the episodes and actions that it is tried with. Default 0. */
  readonly seed?: number;
  /** Steps with random actions that it is tried with. Default 200. */
  readonly steps?: number;
}

/** Refuses an environment that has problems, and says all of them in words. One that a function makes is closed. */
export async function checkHostEnv(
  env: HostEnv | (() => HostEnv),
  options: CheckHostEnvOptions = {},
): Promise<void> {
  const made = typeof env === "function" ? env() : env;
  const problems = await problemsIn("checkHostEnv", made, options, typeof env === "function");
  const name = typeof made === "object" && made !== null ? classOf(made) : "";
  refuse("checkHostEnv", name === "" ? "the environment" : name, problems);
}

/** What is wrong with an environment, in words; nothing if all is well. */
export const hostEnvProblems = (
  env: HostEnv | (() => HostEnv),
  options: CheckHostEnvOptions = {},
): Promise<string[]> =>
  problemsIn("hostEnvProblems", typeof env === "function" ? env() : env, options, typeof env === "function");

function problemsIn(
  operation: string,
  env: HostEnv,
  options: CheckHostEnvOptions,
  isOurs: boolean,
): Promise<string[]> {
  checkOptions(operation, options, ["seed", "steps"]);
  const { seed = 0, steps = 200 } = options;
  check(operation, "steps", steps, rules.whole(1));
  return problemsOf(async (notes) => {
    const problem = hostEnvProblem(env);
    if (problem !== null) notes.stop(problem);
    const play = new Play(env, notes);
    try {
      await play.all(seed, steps);
    } finally {
      if (isOurs) await notes.attempt("close", () => env.close?.());
    }
  });
}

interface Answer {
  readonly obs: HostArray;
  readonly reward?: number;
  readonly terminated?: boolean;
  readonly truncated?: boolean;
}

/** An environment as it is played, with what is wrong with its answers. */
class Play {
  private readonly obs: Layout;
  private readonly action: Layout;
  private readonly write: WriteObs;
  private readonly bounds: Bounds | null;

  constructor(
    private readonly env: HostEnv,
    private readonly notes: Notes,
  ) {
    this.obs = layoutOf(env.observationSpace);
    this.action = layoutOf(env.actionSpace);
    this.write = obsWriter(this.obs);
    this.bounds = boundsOf(env.observationSpace);
  }

  async all(seed: number, steps: number): Promise<void> {
    const actions = sampleActions(this.env.actionSpace, seed, steps);
    const first = [await this.begin(seed), ...(await this.follow(actions, 0, steps))];
    const second = [await this.begin(seed), ...(await this.follow(actions, 0, steps))];
    const at = first.findIndex((answer, index) => difference(answer, second[index]) !== null);
    if (at >= 0) {
      this.notes.note(
        `the same seed and the same actions give another episode (${at === 0 ? "reset" : `step ${at}`}: ` +
          `${String(difference(first[at], second[at]))}); everything random must follow from the seed of reset`,
      );
    }
    // What is not the same twice cannot be brought back, either.
    else if (this.env.getState !== undefined) await this.state(seed, actions, steps);
    await this.picture();
  }

  /** Whether a state brings back what followed it. */
  private async state(seed: number, actions: HostArray, steps: number): Promise<void> {
    const { env, notes } = this;
    const middle = Math.floor(steps / 2);
    await this.begin(seed);
    await this.follow(actions, 0, middle);
    const state = await notes.attempt("getState", () => env.getState?.());
    const bad = notPlain(state);
    if (bad !== null) {
      notes.note(`getState must give what JSON carries, but ${bad}`);
      return;
    }
    const text = JSON.stringify(state);
    const first = await this.follow(actions, middle, steps);
    await notes.attempt("setState", () => env.setState?.(JSON.parse(text)));
    const again = JSON.stringify(await notes.attempt("getState", () => env.getState?.()));
    const second = await this.follow(actions, middle, steps);
    const found = difference(first, second);
    if (found !== null) {
      notes.note(
        `setState does not bring back everything: the same actions give another episode after it (${found}); ` +
          "the state must hold all that the future depends on, random numbers included",
      );
    } else if (again !== text) {
      notes.note(`getState after setState gives another state: ${short(again)} instead of ${short(text)}`);
    }
  }

  private async begin(seed: number | undefined): Promise<Answer> {
    const { env, notes } = this;
    const result: unknown = await notes.attempt("reset", () =>
      seed === undefined ? env.reset() : env.reset(seed),
    );
    if (!Array.isArray(result) || result.length < 1 || result.length > 2) {
      this.notes.stop(`reset must give [obs, info], got ${describe(result)}`);
    }
    this.info("reset", result[1]);
    return { obs: this.observation("reset", result[0]) };
  }

  /** The answers to the actions from one place to another; episodes that end are begun anew. */
  private async follow(actions: HostArray, from: number, to: number): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (let at = from; at < to; at++) {
      const answer = await this.step(actions, at);
      answers.push(answer);
      if (answer.terminated === true || answer.truncated === true) answers.push(await this.begin(undefined));
    }
    return answers;
  }

  private async step(actions: HostArray, at: number): Promise<Answer> {
    const { env, notes } = this;
    const result: unknown = await notes.attempt("step", () => env.step(actionAt(actions, this.action, at)));
    if (!Array.isArray(result) || result.length < 4 || result.length > 5) {
      this.notes.stop(`step must give [obs, reward, terminated, truncated, info], got ${describe(result)}`);
    }
    const [given, reward, terminated, truncated, info] = result as unknown[];
    if (typeof reward !== "number" || !Number.isFinite(Math.fround(reward))) {
      notes.note(`the reward of step must be a finite number, got ${describe(reward)}`, "reward");
    }
    for (const [name, value] of Object.entries({ terminated, truncated })) {
      if (typeof value !== "boolean")
        notes.stop(`${name} of step must be true or false, got ${describe(value)}`);
    }
    this.info("step", info);
    const obs = this.observation("step", given);
    return { obs, reward, terminated, truncated } as Answer;
  }

  private info(method: string, info: unknown): void {
    if (info === undefined || info === null) return;
    if (typeof info !== "object")
      this.notes.stop(`the info of ${method} must be an object, got ${describe(info)}`);
    const sink = { component: () => undefined, figure: () => undefined };
    const problem = tellInfo(sink, 0, info as HostInfo);
    if (problem !== null) this.notes.note(`${problem} (of ${method})`, "info");
  }

  private observation(method: string, given: unknown): HostArray {
    const obs = newArray(this.obs, 1);
    const problem = this.write(given, obs, 0);
    if (problem !== null) this.notes.stop(`the observation of ${method} ${problem}`);
    const place = this.bounds === null ? null : outside(obs, this.bounds);
    if (place !== null) {
      this.notes.note(
        `the observation of ${method} leaves ${String(this.env.observationSpace)}: ${place}`,
        `range ${method}`,
      );
    }
    return obs;
  }

  private async picture(): Promise<void> {
    const { env, notes } = this;
    if (env.render === undefined) return;
    const problem = pictureProblem(await notes.attempt("render", () => env.render?.()));
    if (problem !== null) notes.note(problem);
  }
}

const short = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

/** What is wrong with a picture; `null` if nothing is. */
export function pictureProblem(picture: unknown): string | null {
  if (typeof picture === "string") {
    return picture.trimStart().startsWith("<svg")
      ? null
      : "render must give SVG, a text that starts with <svg, or RGB bytes";
  }
  const { width, height, data } = (picture ?? {}) as Record<string, unknown>;
  const isFit =
    Number.isInteger(width) &&
    Number.isInteger(height) &&
    data instanceof Uint8Array &&
    data.length === 3 * (width as number) * (height as number);
  return isFit
    ? null
    : `render must give SVG or { width, height, data }, data with 3 bytes for each point, got ${describe(picture)}`;
}
