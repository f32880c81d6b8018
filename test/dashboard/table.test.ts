// A run's log as columns, thinned curves, and logs that are read while they are written.
import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MetricsTable } from "../../src/dashboard/columns.js";
import { Tail } from "../../src/dashboard/tail.js";
import { part, thin } from "../../src/dashboard/thin.js";
import { temporaryFolder } from "../temporary.js";
import { at, line } from "./runs.js";

const tableOf = (...records: readonly object[]): MetricsTable => {
  const table = new MetricsTable();
  for (const record of records) table.add(JSON.stringify(record));
  return table;
};

const plain = ({ x, y }: { x: Float64Array; y: Float64Array }): [number[], number[]] => [[...x], [...y]];

describe("the table of a run", () => {
  it("has a curve for every number, also within records, and none for texts and lists", () => {
    const table = tableOf(
      { step: 10, loss: 0.5, note: "hello", episode_returns: [1, 2], reward: { alive: 1 }, won: true },
      { step: 20, eval_return: 7 },
      { step: 30, loss: "NaN" },
    );
    expect(table.names).toEqual(["loss", "reward/alive", "won", "eval_return"]);
    expect(plain(table.curve("loss"))).toEqual([
      [10, 30],
      [0.5, NaN],
    ]);
    expect(plain(table.curve("eval_return"))).toEqual([[20], [7]]);
    expect(plain(table.curve("reward/alive"))).toEqual([[10], [1]]);
    expect([table.last("loss"), table.best("loss"), table.best("absent")]).toEqual([0.5, 0.5, null]);
  });

  it("refuses lines that are no records, and goes on", () => {
    const table = new MetricsTable();
    expect(
      ['{"step":1,"a":1}', "[1]", '{"step":', "null", '{"step":2,"a":3}'].map((text) => table.add(text)),
    ).toEqual([true, ...[false, false, false], true]);
    expect(plain(table.curve("a"))).toEqual([
      [1, 2],
      [1, 3],
    ]);
  });

  it("gives curves by rising step, also of a log that began anew", () => {
    const table = tableOf({ step: 1, a: 1 }, { step: 3, a: 3 }, { step: 2, a: 2 });
    expect(plain(table.curve("a"))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it("knows steps a second, of the time since a run went on", () => {
    expect(tableOf(at(1000, 0), at(3000, 0)).speed()).toBeCloseTo(1000, 3);
    const resumed = tableOf(
      { step: 0, wall_time: 0 },
      { step: 100, wall_time: 100 },
      { step: 200, wall_time: 5000 },
      { step: 300, wall_time: 5001 },
    );
    expect(resumed.speed()).toBe(100);
    expect(tableOf({ step: 5 }).speed()).toBe(null);
  });
});

describe("thinned curves", () => {
  it("keep the ends, every extreme of a stretch, and the order", () => {
    const numbers = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), {
      minLength: 2,
      maxLength: 400,
    });
    fc.assert(
      fc.property(numbers, fc.integer({ min: 2, max: 40 }), (values, buckets) => {
        const x = Float64Array.from(values, (_, place) => place * 10);
        const y = Float64Array.from(values);
        const thinned = thin({ x, y }, buckets);
        expect(thinned.x.length).toBeLessThanOrEqual(2 * buckets + 2);
        expect(Math.max(...thinned.y)).toBe(Math.max(...y));
        expect(Math.min(...thinned.y)).toBe(Math.min(...y));
        expect([thinned.x[0], thinned.x.at(-1)]).toEqual([0, x.at(-1)]);
        thinned.x.forEach((place, index) => {
          expect(thinned.y[index]).toBe(y[place / 10]);
          if (index > 0) expect(place).toBeGreaterThan(thinned.x[index - 1]);
        });
      }),
      { numRuns: 50 },
    );
  });

  it("show a number where a stretch has one among values that are none", () => {
    const y = Float64Array.from({ length: 100 }, (_, place) => (place === 55 ? 3 : NaN));
    const { y: thinned } = thin({ x: y.map((_, place) => place), y }, 5);
    expect([...thinned]).toContain(3);
  });

  it("of a part have one point more on each side", () => {
    const x = Float64Array.from({ length: 10 }, (_, place) => place);
    expect([...part({ x, y: x }, 3.5, 5.5).x]).toEqual([3, 4, 5, 6]);
    expect([...part({ x, y: x }, -5, 50).x]).toEqual([...x]);
  });
});

describe("a log that is read while it is written", () => {
  it("gives whole lines only, each once, and leaves out the lists of episodes", () => {
    const file = path.join(temporaryFolder(), "metrics.jsonl");
    const tail = new Tail(file);
    expect(tail.read()).toBe(null);
    writeFileSync(file, '{"step":1,"episode_returns":[1,2],"a":1}\n{"step":2');
    expect(tail.read()).toEqual({ lines: ['{"step":1,"a":1}'], isNew: false, hasMore: false });
    expect(tail.read()?.lines).toEqual([]);
    appendFileSync(file, ',"a":2}\n');
    expect(tail.read()?.lines).toEqual(['{"step":2,"a":2}']);
  });

  it("begins anew where the file is cut or replaced, even by one that is longer", () => {
    const file = path.join(temporaryFolder(), "metrics.jsonl");
    const tail = new Tail(file);
    writeFileSync(file, [1, 2, 3].map((step) => line({ step })).join(""));
    expect(tail.read()?.lines.length).toBe(3);
    writeFileSync(file, line({ step: 1 }));
    expect(tail.read()).toEqual({ lines: ['{"step":1}'], isNew: true, hasMore: false });
    writeFileSync(`${file}.new`, [4, 5, 6].map((step) => line({ step })).join(""));
    renameSync(`${file}.new`, file);
    expect(tail.read()).toMatchObject({ isNew: true, lines: { length: 3 } });
    writeFileSync(file, [7, 8, 9, 10].map((step) => line({ step })).join(""));
    expect(tail.read()).toMatchObject({ isNew: true, lines: { length: 4 } });
  });

  it("reads in pieces, and lines longer than a piece whole", () => {
    const file = path.join(temporaryFolder(), "metrics.jsonl");
    const records = [{ step: 1 }, { step: 2, text: "x".repeat(500) }, { step: 3 }];
    writeFileSync(file, records.map(line).join(""));
    const tail = new Tail(file, 64);
    const lines: string[] = [];
    for (let chunk = tail.read(); chunk !== null; chunk = chunk.hasMore ? tail.read() : null)
      lines.push(...chunk.lines);
    expect(lines.map((text) => JSON.parse(text) as unknown)).toEqual(records);
  });
});
