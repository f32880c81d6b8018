// metrics.jsonl: what is written, what is read back, and what happens to a file that was cut.
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it, vi } from "vitest";
import { np } from "vibe-rl/array";
import { MetricsLogger, readMetrics, type MetricsBackend, type PlainRecord } from "vibe-rl/metrics";
import { mockDisk } from "../disk.js";
import { temporaryFolder, warningsOf } from "../temporary.js";

mockDisk("writeSync", "openSync");

const metricsFile = (): string => path.join(temporaryFolder(), "logs", "metrics.jsonl");
const linesOf = (file: string): unknown[] =>
  fs
    .readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

describe("MetricsLogger", () => {
  it("writes one JSON object a line, with wall_time, and arrays as numbers", async () => {
    const file = metricsFile();
    const logger = MetricsLogger(file);
    const before = Date.now() / 1000;
    logger.log({
      step: 1,
      loss: np.float32(0.5),
      one: np.array([[3]]),
      list: np.int32([1, 2]),
      done: np.bool(true),
      eval: { mean: np.float32(2), text: "ok" },
      typed: Float32Array.of(1, 2),
      big: 10n,
      missing: undefined,
      none: null,
    });
    logger.log({ step: 2, wall_time: 7 });
    await logger.close();
    const [first, second] = linesOf(file) as Record<string, unknown>[];
    expect(first).toEqual({
      step: 1,
      loss: 0.5,
      one: 3,
      list: [1, 2],
      done: true,
      eval: { mean: 2, text: "ok" },
      typed: [1, 2],
      big: 10,
      none: null,
      wall_time: expect.any(Number) as number,
    });
    expect(first.wall_time).toBeGreaterThanOrEqual(before);
    expect(second).toEqual({ step: 2, wall_time: 7 });
    expect(readMetrics(file)).toEqual([first, second]);
  });

  it("keeps JSON valid where numbers are not finite, and reads them back", async () => {
    const file = metricsFile();
    const logger = MetricsLogger(file);
    const record = {
      step: 1,
      a: NaN,
      b: [Infinity, np.float32(-Infinity)],
      c: { d: np.array([NaN, 1]) },
      wall_time: 0,
    };
    logger.log(record);
    await logger.close();
    expect(linesOf(file)).toEqual([
      { step: 1, a: "NaN", b: ["Infinity", "-Infinity"], c: { d: ["NaN", 1] }, wall_time: 0 },
    ]);
    expect(readMetrics(file)).toEqual([
      { step: 1, a: NaN, b: [Infinity, -Infinity], c: { d: [NaN, 1] }, wall_time: 0 },
    ]);
  });

  it("refuses what is no metric, by its path, and refuses to log when closed", async () => {
    const file = metricsFile();
    const logger = MetricsLogger(file);
    expect(() => logger.log({ a: { b: [() => 1] } })).toThrow(/a\.b\[0\] is a function; log numbers/);
    expect(() => logger.log({ a: new Map() })).toThrow(/a is an object of class Map/);
    await logger.close();
    await logger.close();
    expect(() => logger.log({})).toThrow(/is closed; make a new logger/);
    expect(readMetrics(file)).toEqual([]);
  });

  it("continues a file, whatever of its last line is there", async () => {
    const whole = '{"step":1}\n{"step":2,"a":"x"}\n';
    for (let length = 0; length <= whole.length; length++) {
      const file = path.join(temporaryFolder(), "metrics.jsonl");
      fs.writeFileSync(file, whole.slice(0, length));
      const expected = [{ step: 1 }, { step: 2, a: "x" }].slice(0, length < 10 ? 0 : length < 29 ? 1 : 2);
      expect(readMetrics(file)).toEqual(expected);
      const logger = MetricsLogger(file);
      logger.log({ step: 3, wall_time: 0 });
      await logger.close();
      expect(linesOf(file)).toEqual([...expected, { step: 3, wall_time: 0 }]);
    }
  });

  it("drops the records after the step that a run resumes from", async () => {
    const file = path.join(temporaryFolder(), "metrics.jsonl");
    fs.writeFileSync(file, '{"step":1}\n{"note":"no step"}\n{"step":5}\n{"step":6}\n{"st');
    const logger = MetricsLogger(file, { keepThroughStep: 5 });
    await logger.close();
    expect(fs.readFileSync(file, "utf8")).toBe('{"step":1}\n{"note":"no step"}\n{"step":5}\n');
  });

  it("leaves a file alone that is not one of metrics", () => {
    const file = path.join(temporaryFolder(), "metrics.jsonl");
    for (const content of ["hello", "hello\n", '{"step":1}\nhello\n{"step":2}\n', "[1]\n"]) {
      fs.writeFileSync(file, content);
      expect(() => MetricsLogger(file)).toThrow(/line \d of .* is not a JSON object.*left as it is/);
      expect(() => readMetrics(file)).toThrow(/readMetrics: line/);
      expect(fs.readFileSync(file, "utf8")).toBe(content);
    }
    expect(() => readMetrics(`${file}.none`)).toThrow(/cannot read .*no such file/);
  });

  it("leaves whole lines when the disk is full", async () => {
    const file = metricsFile();
    const logger = MetricsLogger(file);
    logger.log({ step: 1, wall_time: 0 });
    const write = vi.mocked(fs.writeSync as (...args: unknown[]) => number);
    const original = write.getMockImplementation() as (...args: unknown[]) => number;
    write.mockImplementationOnce((open, bytes) => original(open, bytes, 0, 5));
    write.mockImplementationOnce(() => {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    });
    expect(() => logger.log({ step: 2 })).toThrow(/MetricsLogger: cannot write .*the disk is full/);
    logger.log({ step: 3, wall_time: 0 });
    await logger.close();
    expect(linesOf(file)).toEqual([
      { step: 1, wall_time: 0 },
      { step: 3, wall_time: 0 },
    ]);
  });

  it("says where it cannot write", () => {
    vi.mocked(fs.openSync).mockImplementationOnce(() => {
      throw Object.assign(new Error("denied"), { code: "EACCES" });
    });
    expect(() => MetricsLogger(metricsFile())).toThrow(/cannot write .*metrics\.jsonl: permission denied/);
  });
});

describe("backends", () => {
  const collector = () => {
    const seen: [PlainRecord, number][] = [];
    const close = vi.fn();
    const backend: MetricsBackend = { log: (record, step) => void seen.push([record, step]), close };
    return { seen, backend, close };
  };

  it("get plain records and their step", async () => {
    const { seen, backend, close } = collector();
    const logger = MetricsLogger(metricsFile(), { backends: [backend] });
    logger.log({ step: np.int32(5), loss: np.float32(NaN), wall_time: 1 });
    logger.log({ reward: 2, wall_time: 1 });
    await logger.close();
    expect(seen).toEqual([
      [{ step: 5, loss: NaN, wall_time: 1 }, 5],
      [{ reward: 2, wall_time: 1 }, 5],
    ]);
    expect(close).toHaveBeenCalledOnce();
  });

  it("that fail are switched off with a warning, and the file goes on", async () => {
    const file = metricsFile();
    const { seen, backend } = collector();
    const closeBroken = vi.fn();
    const broken: MetricsBackend = {
      log: () => {
        throw new Error("no network");
      },
      close: closeBroken,
    };
    const slow: MetricsBackend = { log: () => undefined, close: () => Promise.reject(new Error("too slow")) };
    const warnings = await warningsOf("MetricsWarning", async () => {
      const logger = MetricsLogger(file, { backends: [broken, backend, slow] });
      for (const step of [1, 2]) logger.log({ step });
      await logger.close();
    });
    expect(warnings).toEqual([expect.stringContaining("no network"), expect.stringContaining("too slow")]);
    expect([seen.length, linesOf(file).length]).toEqual([2, 2]);
    expect(closeBroken).not.toHaveBeenCalled();
  });
});
