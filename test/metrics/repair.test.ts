// A metrics file that has lost something gets it back from what a checkpoint knows.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { MetricsLogger, readMetrics, type PlainRecord } from "vibe-rl/metrics";
import { temporaryFolder, warningsOf } from "../temporary.js";

const expected: readonly PlainRecord[] = [
  { step: 100, loss: 0.1 + 0.2, wall_time: 1.5 },
  { step: 200, loss: 1e-7, wall_time: 2.5 },
  { step: 200, eval_return: 9, wall_time: 2.75 },
  { step: 300, loss: -0, wall_time: 3.5 },
].map((record) => JSON.parse(JSON.stringify(record)) as PlainRecord);
const lines = expected.map((record) => JSON.stringify(record));
const later = '{"step":400,"loss":4,"wall_time":4.5}';

/** What is in a file with these contents after a run has resumed from step 300. */
async function repaired(content: string | null): Promise<{ text: string; folder: string }> {
  const folder = temporaryFolder();
  const file = path.join(folder, "metrics.jsonl");
  if (content !== null) writeFileSync(file, content);
  await MetricsLogger(file, { keepThroughStep: 300, expected }).close();
  return { text: readFileSync(file, "utf8"), folder };
}

const whole = `${lines.join("\n")}\n`;

describe("a metrics file of a run that resumes", () => {
  it("is left as it is up to the checkpoint, and ends there", async () => {
    expect((await repaired(whole)).text).toBe(whole);
    expect((await repaired(`${whole}${later}\n{"step":5`)).text).toBe(whole);
  });

  it("is restored where it is gone, cut short at any byte, or has holes", async () => {
    expect((await repaired(null)).text).toBe(whole);
    for (let length = 0; length < whole.length; length += 7) {
      expect((await repaired(whole.slice(0, length))).text).toBe(whole);
    }
    for (let missing = 0; missing < lines.length; missing++) {
      const rest = lines.filter((_, at) => at !== missing);
      expect((await repaired(`${[...rest, later].join("\n")}\n`)).text).toBe(whole);
    }
  });

  it("is restored where values were changed, lines doubled or out of order", async () => {
    expect((await repaired(whole.replace("1e-7", "2e-7"))).text).toBe(whole);
    expect((await repaired(whole + whole)).text).toBe(whole);
    expect((await repaired(`${[...lines].reverse().join("\n")}\n`)).text).toBe(whole);
  });

  it("keeps records of others, each at its step", async () => {
    const [note, mine] = ['{"note":"begun"}', '{"step":200,"temperature":21,"wall_time":2.6}'];
    const { text } = await repaired(`${note}\n${lines[0]}\n${mine}\n`);
    expect(text).toBe(`${[note, ...lines.slice(0, 3), mine, lines[3]].join("\n")}\n`);
    const undisturbed = `${[note, ...lines.slice(0, 2), mine, ...lines.slice(2)].join("\n")}\n`;
    expect((await repaired(undisturbed)).text).toBe(undisturbed);
  });

  it("is kept as it was where some of it cannot be read", async () => {
    const holed = `${lines[0]}\n\0\0\0\0\0\0\n${lines[3]}\n`;
    let folder = "";
    const warnings = await warningsOf("MetricsWarning", async () => {
      const result = await repaired(holed);
      ({ folder } = result);
      expect(result.text).toBe(whole);
    });
    expect(readFileSync(path.join(folder, "metrics.jsonl.damaged"), "utf8")).toBe(holed);
    expect(warnings.join()).toMatch(/lines that could not be read.*kept as .*metrics\.jsonl\.damaged/);
  });
});

it("what a killed process left half written is cleared away", async () => {
  const folder = temporaryFolder();
  // The first number of a process that is over; ours is larger than any that was given out long ago.
  writeFileSync(path.join(folder, `.metrics.jsonl.tmp-${process.pid}-1`), "half");
  await MetricsLogger(path.join(folder, "metrics.jsonl")).close();
  expect(readdirSync(folder)).toEqual(["metrics.jsonl"]);
});

describe("backends that promise and do not keep it", () => {
  it("are switched off with one word, and the file goes on", async () => {
    const file = path.join(temporaryFolder(), "metrics.jsonl");
    let calls = 0;
    const backend = {
      log: async () => {
        calls++;
        await Promise.resolve();
        throw new Error("the dashboard is away");
      },
      close: () => Promise.reject(new Error("still away")),
    };
    const warnings = await warningsOf("MetricsWarning", async () => {
      const logger = MetricsLogger(file, { backends: [backend] });
      logger.log({ step: 1 });
      logger.log({ step: 2 });
      await new Promise((resolve) => setTimeout(resolve, 0));
      logger.log({ step: 3 });
      await logger.close();
    });
    expect(warnings).toEqual([expect.stringMatching(/switched off.*the dashboard is away/)]);
    expect(calls).toBe(2);
    expect(readMetrics(file).map(({ step }) => step)).toEqual([1, 2, 3]);
  });
});

it("what contains itself is refused by its path, and large integers are numbers", async () => {
  const file = path.join(temporaryFolder(), "metrics.jsonl");
  const logger = MetricsLogger(file);
  const round: { inner: unknown[] } = { inner: [] };
  round.inner.push(round);
  expect(() => logger.log({ step: 1, round })).toThrow(/round\.inner\[0\] contains itself/);
  expect(() => logger.log({ odd: Object.create(Object.create(null) as object) as unknown })).toThrow(
    /odd is an object of class/,
  );
  logger.log({ step: 1, big: BigInt64Array.of(1n, 2n), wall_time: 0 });
  await logger.close();
  expect(readMetrics(file)).toEqual([{ step: 1, big: [1, 2], wall_time: 0 }]);
  expect(existsSync(`${file}.damaged`)).toBe(false);
});
