// plotRewardCurve: run directories to pictures that other programs can open.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plotRewardCurve, PlotError } from "vibe-rl/plotting";
import { readPng } from "./files.js";
import { newFolder, rising, writeRun } from "./runs.js";

let folder = "";
let ppo: string[] = [];
let dqn: string[] = [];

beforeAll(() => {
  folder = newFolder();
  const runs = (algorithm: string, speeds: readonly number[]): string[] =>
    speeds.map((speed, seed) =>
      writeRun(folder, `CartPole-v1_${algorithm}_20260216_14302${seed}`, rising(speed, 100 + seed), {
        env_id: "CartPole-v1",
        algo: { name: algorithm.toUpperCase(), lr: 1e-3 },
      }),
    );
  ppo = runs("ppo", [5, 6, 8]);
  dqn = runs("dqn", [2, 3, 2.5]);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The texts of an SVG, in order; refuses what is not well formed. */
function textsIn(svg: string): string[] {
  const open: string[] = [];
  for (const [, closing, name, selfClosing] of svg.matchAll(/<(\/?)([a-zA-Z]+)[^<>]*?(\/?)>/g)) {
    if (closing === "/") expect(open.pop()).toBe(name);
    else if (selfClosing === "") open.push(name);
  }
  expect(open).toEqual([]);
  expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  return [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
}

const count = (svg: string, element: string): number => svg.split(`<${element} `).length - 1;

describe("curves", () => {
  it("of one experiment are its mean with a band, named by the experiment", () => {
    const svg = plotRewardCurve(ppo).svg();
    const texts = textsIn(svg);
    expect(texts).toEqual(
      expect.arrayContaining([
        "CartPole-v1_ppo",
        "mean ± std of 3 runs",
        "Environment steps",
        "Episode return",
      ]),
    );
    expect(texts).toEqual(expect.arrayContaining(["0", "20k", "100k", "500"]));
    expect(svg.match(/fill-opacity="0.2"/g)).toHaveLength(1);
  });

  it("of several groups have a colour each and a legend", () => {
    const figure = plotRewardCurve([...ppo, ...dqn], { groupBy: "algo.name", config: { shaded: "sem" } });
    const svg = figure.svg();
    expect(textsIn(svg)).toEqual(expect.arrayContaining(["PPO", "DQN", "mean ± standard error of 3 runs"]));
    for (const color of ["#0077BB", "#EE7733"]) expect(svg).toContain(`fill="none" stroke="${color}"`);
  });

  it("can be one a run, or grouped by a function", () => {
    const every = plotRewardCurve(ppo, { groupBy: "run", config: { raw: false, legend: "outside" } }).svg();
    expect(textsIn(every)).toEqual(expect.arrayContaining(ppo.map((run) => path.basename(run))));
    const all = [...ppo, ...dqn];
    const grouped = plotRewardCurve(all, {
      groupBy: ({ name }) => (name.includes("ppo") ? "on" : "off"),
    }).svg();
    expect(textsIn(grouped)).toEqual(expect.arrayContaining(["on", "off"]));
  });

  it("of one run lie on their values before smoothing", () => {
    const smooth = plotRewardCurve(ppo[0], { smooth: { mode: "ema", radius: 5 } }).svg();
    expect(smooth.match(/stroke-opacity="0.3"/g)).toHaveLength(1);
    expect(plotRewardCurve(ppo[0], { smooth: 0 }).svg()).not.toContain("stroke-opacity");
  });

  it("show any metric over any other; wall time counts from the start", () => {
    const svg = plotRewardCurve({ root: ppo[0] }, { xKey: "wall_time", yKey: "loss" }).svg();
    expect(textsIn(svg)).toEqual(expect.arrayContaining(["Wall time (s)", "Loss", "0", "5", "25"]));
  });

  it("read a file whose last line is cut", () => {
    const run = writeRun(folder, "cut", rising(5, 10));
    appendFileSync(path.join(run, "logs", "metrics.jsonl"), '{"step": 1100');
    expect(() => plotRewardCurve(run)).not.toThrow();
  });

  it("can be a single point", () => {
    const run = writeRun(folder, "short", [{ step: 100, episode_return: -3 }]);
    textsIn(plotRewardCurve(run).svg());
  });

  it("have texts that XML could misread", () => {
    const texts = textsIn(plotRewardCurve(ppo, { config: { title: `a < b & "c"` } }).svg());
    expect(texts).toContain("a &lt; b &amp; &quot;c&quot;");
  });

  it("are the same picture each time", () => {
    const draw = () => plotRewardCurve([...ppo, ...dqn]);
    expect(draw().svg()).toBe(draw().svg());
    expect(draw().png()).toEqual(draw().png());
  });
});

describe("PNG", () => {
  it("has the size that figsize and dpi say, the paper's colour, and the curves'", () => {
    const config = { figsize: [5, 3], dpi: 80, shaded: "none" } as const;
    const picture = readPng(plotRewardCurve([...ppo, ...dqn], { config }).png());
    expect([picture.width, picture.height]).toEqual([400, 240]);
    expect(picture.at(0, 0)).toBe(0xffffff);
    const colors = new Map<number, number>();
    for (let pixel = 0; pixel < 400 * 240; pixel++) {
      const color = picture.at(pixel % 400, Math.floor(pixel / 400));
      colors.set(color, (colors.get(color) ?? 0) + 1);
    }
    for (const color of [0x0077bb, 0xee7733]) expect(colors.get(color)).toBeGreaterThan(50);
    expect(colors.get(0xffffff)).toBeGreaterThan(0.7 * 400 * 240);
  });

  it("has text, though the machine may have no fonts", () => {
    const draw = (title: string) =>
      readPng(plotRewardCurve(ppo, { config: { title, titleSize: 16, dpi: 72, shaded: "none" } }).png());
    const ink = (title: string): number => {
      const picture = draw(title);
      let sum = 0;
      for (let y = 0; y < 24; y++) for (let x = 40; x < 300; x++) sum += picture.at(x, y) < 0x808080 ? 1 : 0;
      return sum;
    };
    expect(ink("")).toBe(0);
    expect(ink("Wide MWMW")).toBeGreaterThan(ink("il"));
    expect(ink("il")).toBeGreaterThan(10);
  });
});

describe("PDF", () => {
  it("has a table of objects that is right, and a page of text and curves", () => {
    const file = Buffer.from(plotRewardCurve(ppo, { config: { title: "(PPO) −1" } }).pdf());
    const text = file.toString("latin1");
    expect(text.startsWith("%PDF-1.4")).toBe(true);
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1]);
    expect(text.slice(start, start + 5)).toBe("xref\n");
    const offsets = [...text.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) =>
      Number(offset),
    );
    offsets.forEach((offset, at) => expect(text.slice(offset)).toMatch(new RegExp(`^${at + 1} 0 obj\n`)));
    expect(text).toContain(`/Size ${offsets.length + 1} `);

    const length = /\/Length (\d+) \/Filter \/FlateDecode >>\nstream\n/.exec(text)?.[1];
    const from = text.indexOf("stream\n") + 7;
    const content = inflateSync(file.subarray(from, from + Number(length))).toString("latin1");
    expect(text.slice(from + Number(length))).toMatch(/^\nendstream/);
    expect(content).toContain(Buffer.from("(PPO) \x961", "latin1").toString("hex"));
    expect(content).toContain("0 0.467 0.733 RG 1.6 w");
    expect(content).not.toMatch(/NaN|Infinity|undefined/);
    for (const [, name] of content.matchAll(/\/(O\d+) gs/g)) expect(text).toContain(`/${name} <<`);
  });
});

describe("saving", () => {
  it("writes by the path's ending and makes the folder", () => {
    for (const [ending, head] of Object.entries({ png: "\x89PNG", svg: "<svg", pdf: "%PDF" })) {
      const savePath = path.join(folder, "artifacts", ending, `reward_curve.${ending}`);
      plotRewardCurve(ppo, { savePath, config: { dpi: 50 } });
      expect(readFileSync(savePath, "latin1").startsWith(head)).toBe(true);
    }
  });

  it("refuses other formats and says when it cannot write", () => {
    const draw = (savePath: string) => () => plotRewardCurve(ppo, { savePath });
    expect(draw(path.join(folder, "curve.jpg"))).toThrow("must end in .svg, .pdf, .png, got");
    writeFileSync(path.join(folder, "file"), "");
    expect(draw(path.join(folder, "file", "curve.svg"))).toThrow(/cannot write .*file/);
    expect(existsSync(path.join(folder, "curve.jpg"))).toBe(false);
  });
});

describe("what cannot be drawn", () => {
  it("is refused with the metrics that exist", () => {
    expect(() => plotRewardCurve(ppo, { yKey: "reward" })).toThrow(PlotError);
    expect(() => plotRewardCurve(ppo, { yKey: "reward" })).toThrow(
      'yKey "reward" is not in the metrics of CartPole-v1_ppo_20260216_143020; it has step, wall_time, episode_return, loss',
    );
    expect(() => plotRewardCurve(ppo, { xKey: "time" })).toThrow('xKey "time" is not in the metrics');
    const losses = writeRun(folder, "losses", [{ step: 1, loss: 2 }]);
    expect(() => plotRewardCurve([ppo[0], losses])).toThrow("losses has step, loss");
  });

  it("is refused with the runs that exist", () => {
    const nowhere = path.join(folder, "CartPole-v1_a2c");
    expect(() => plotRewardCurve(nowhere)).toThrow(
      /a2c does not exist; runs in .*CartPole-v1_ppo_20260216_143020/,
    );
    const empty = path.join(folder, "empty");
    mkdirSync(empty);
    expect(() => plotRewardCurve(empty)).toThrow(
      /not a run directory: it has no logs.metrics\.jsonl; .*: none/,
    );
    expect(() => plotRewardCurve(writeRun(folder, "silent", []))).toThrow("nothing has been logged yet");
    expect(() => plotRewardCurve([])).toThrow("at least one run directory");
  });

  it("is refused with the groups and styles that exist", () => {
    expect(() => plotRewardCurve(ppo, { groupBy: "algo.seed" })).toThrow(
      "it can be experiment, run, env_id, algo.name, algo.lr",
    );
    expect(() => plotRewardCurve(ppo, { style: "ggplot" as "paper" })).toThrow(
      "the styles are paper, talk, dark",
    );
    const late = writeRun(folder, "CartPole-v1_ppo_20260216_150000", [{ step: 5e6, episode_return: 1 }]);
    expect(() => plotRewardCurve([ppo[0], late])).toThrow(/no x in common .*groupBy "run"/);
  });
});

it("shortens names and legends that are too long for the paper", () => {
  const many = Array.from({ length: 40 }, (_, at) =>
    writeRun(folder, `${"long_".repeat(30)}${at}`, rising(at + 1, 5)),
  );
  const svg = plotRewardCurve(many, { groupBy: "run", config: { title: "title ".repeat(50) } }).svg();
  const names = textsIn(svg).filter((text) => text.startsWith("long_"));
  expect(names).toHaveLength(40);
  expect(new Set(names).size).toBe(40);
  for (const name of names) expect(name.length).toBeLessThan(100);
  const heights = [...svg.matchAll(/<text x="[\d.]+" y="([\d.]+)"[^>]*>long_/g)].map(([, y]) => Number(y));
  expect(Math.max(...heights)).toBeLessThan(288);
});

it("draws axes even where the data are one number", () => {
  const flat = writeRun(
    folder,
    "flat",
    rising(0).map((row) => ({ ...row, episode_return: 9 })),
  );
  expect(count(plotRewardCurve(flat).svg(), "text")).toBeGreaterThan(6);
});
