// Evaluations beside training, and a panel for each environment.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plotRewardCurve } from "vibe-rl/plotting";
import { dashesOf } from "../../src/plotting/drawing/dashes.js";
import { readPng } from "./files.js";
import { newFolder, rising, writeRun } from "./runs.js";

let folder = "";
beforeAll(() => {
  folder = newFolder();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textsIn = (svg: string): string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

/** A run with evaluations every ten records. */
const evaluated = (name: string, environment: string, speed: number): string =>
  writeRun(
    folder,
    name,
    rising(speed).flatMap((row, at) =>
      at % 10 === 9
        ? [row, { step: row.step, wall_time: row.wall_time, eval_return: 400 + at, eval_length: 9 }]
        : [row],
    ),
    { env_id: environment, algo: "ppo" },
  );

/** The strokes of a colour, without the faint ones. */
const strokes = (svg: string, color: string): number =>
  svg.split(`stroke="${color}" stroke-width="1.6"`).length - 1;

describe("evaluations", () => {
  it("are dashed beside the training curve of a run, in its colour", () => {
    const run = evaluated("CartPole-v1_ppo_20260216_143022", "CartPole-v1", 5);
    const svg = plotRewardCurve(run).svg();
    expect(textsIn(svg)).toEqual(
      expect.arrayContaining(["training", "evaluation", "CartPole-v1_ppo", "Episode return"]),
    );
    // The dashes are many, and the legend has some.
    expect(strokes(svg, "#0077BB")).toBeGreaterThan(20);
    const only = plotRewardCurve(run, { yKey: "episode_return" }).svg();
    expect(textsIn(only)).not.toContain("evaluation");
    expect(strokes(only, "#0077BB")).toBe(1);
    expect(textsIn(plotRewardCurve(run, { yKey: "eval_return" }).svg())).toContain("Evaluation return");
  });

  it("of several groups are named by them", () => {
    const runs = [
      evaluated("CartPole-v1_ppo_20260216_143023", "CartPole-v1", 5),
      evaluated("CartPole-v1_dqn_20260216_143023", "CartPole-v1", 3),
    ];
    const texts = textsIn(plotRewardCurve(runs).svg());
    for (const name of ["CartPole-v1_ppo", "CartPole-v1_dqn"]) {
      expect(texts).toEqual(expect.arrayContaining([name, `${name}, evaluation`]));
    }
  });

  it("that only some runs of a group have are left out", () => {
    const runs = [
      evaluated("CartPole-v1_sac_20260216_143023", "CartPole-v1", 5),
      writeRun(folder, "CartPole-v1_sac_20260216_143024", rising(4), { env_id: "CartPole-v1" }),
    ];
    expect(textsIn(plotRewardCurve(runs).svg())).not.toContain("evaluation");
  });
});

describe("environments", () => {
  const runs = () => [
    evaluated("CartPole-v1_ppo_20260216_143025", "CartPole-v1", 5),
    evaluated("Pendulum-v1_ppo_20260216_143025", "Pendulum-v1", 3),
    evaluated("Acrobot-v1_ppo_20260216_143025", "Acrobot-v1", 3),
  ];

  it("have a panel each, with their name", () => {
    const config = { dpi: 20, figsize: [4, 3] } as const;
    const figure = plotRewardCurve(runs(), { config });
    const texts = textsIn(figure.svg());
    expect(texts).toEqual(expect.arrayContaining(["CartPole-v1", "Pendulum-v1", "Acrobot-v1"]));
    expect(texts.filter((text) => text === "Environment steps")).toHaveLength(3);
    // Two by two panels of 4 × 3 inches.
    const picture = readPng(figure.png());
    expect([picture.width, picture.height]).toEqual([160, 120]);
    expect(figure.svg()).not.toMatch(/NaN|undefined/);
    const titled = plotRewardCurve(runs(), { config: { title: "PPO" } }).svg();
    expect(textsIn(titled)).toContain("PPO: Pendulum-v1");
  });

  it("share one where that is asked for, or where there is one, named or not", () => {
    const shared = textsIn(plotRewardCurve(runs(), { panelBy: "none" }).svg());
    expect(shared.filter((text) => text === "Environment steps")).toHaveLength(1);
    const nameless = [runs()[0], writeRun(folder, "mine", rising(2))];
    expect(
      textsIn(plotRewardCurve(nameless).svg()).filter((text) => text === "Environment steps"),
    ).toHaveLength(1);
    expect(() => plotRewardCurve(runs(), { panelBy: "task" as "none" })).toThrow(
      'panelBy must be environment or none, got "task"',
    );
  });
});

it("dashes follow a line around its corners, and cover their share of it", () => {
  const points = [
    [0, 0],
    [7, 0],
    [7, 9],
  ] as const;
  const dashes = dashesOf(points, 3, 1);
  const length = (dash: readonly (readonly [number, number])[]) =>
    dash.slice(1).reduce((sum, [x, y], at) => sum + Math.hypot(x - dash[at][0], y - dash[at][1]), 0);
  expect(dashes.map(length)).toEqual([3, 3, 3, 3]);
  expect(dashes[1]).toEqual([
    [4, 0],
    [7, 0],
  ]);
});
