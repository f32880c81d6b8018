// Event files, read by a decoder that shares nothing with the encoder.
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { MetricsLogger, TensorBoardBackend } from "vibe-rl/metrics";
import { crc32c } from "../../src/metrics/crc32c.js";
import { temporaryFolder } from "../temporary.js";

/** CRC-32C bit by bit, from the polynomial 0x1EDC6F41 reflected. */
function slowCrc(bytes: Uint8Array): number {
  let crc = 0xffffffffn;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc % 2n === 1n ? (crc >> 1n) ^ 0x82f63b78n : crc >> 1n;
  }
  return Number(crc ^ 0xffffffffn);
}

function unmask(masked: number): number {
  const rotated = BigInt.asUintN(32, BigInt(masked) - 0xa282ead8n);
  return Number(BigInt.asUintN(32, (rotated << 15n) | (rotated >> 17n)));
}

/** The contents of a TFRecord file, its checksums checked. */
function recordsOf(file: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at < file.length;) {
    const length = Number(file.readBigUInt64LE(at));
    expect(unmask(file.readUInt32LE(at + 8))).toBe(slowCrc(file.subarray(at, at + 8)));
    const content = file.subarray(at + 12, at + 12 + length);
    expect(content.length).toBe(length);
    expect(unmask(file.readUInt32LE(at + 12 + length))).toBe(slowCrc(content));
    records.push(content);
    at += length + 16;
  }
  return records;
}

type Field = readonly [number: number, value: number | Buffer];

/** The fields of a protocol-buffer message. */
function fieldsOf(message: Buffer): Field[] {
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(message[at++]);
      value |= (byte & 127n) << shift;
      if (byte < 128n) return Number(value);
    }
  };
  const fields: Field[] = [];
  while (at < message.length) {
    const key = varint();
    const layout = key & 7;
    if (layout === 0) fields.push([key >> 3, varint()]);
    else if (layout === 1) fields.push([key >> 3, message.readDoubleLE((at += 8) - 8)]);
    else if (layout === 5) fields.push([key >> 3, message.readFloatLE((at += 4) - 4)]);
    else {
      const length = varint();
      fields.push([key >> 3, message.subarray(at, (at += length))]);
    }
  }
  return fields;
}

const only = (fields: readonly Field[], number: number) => fields.find(([field]) => field === number)?.[1];

/** Step, time and scalars of every event with a summary. */
function eventsOf(file: string) {
  return recordsOf(readFileSync(file)).map((record) => {
    const fields = fieldsOf(record);
    const summary = only(fields, 5);
    const values = Buffer.isBuffer(summary)
      ? fieldsOf(summary).map(([, value]) => fieldsOf(value as Buffer))
      : [];
    return {
      time: only(fields, 1),
      step: only(fields, 2),
      version: only(fields, 3)?.toString(),
      session: only(fields, 7),
      scalars: Object.fromEntries(values.map((value) => [String(only(value, 1)), only(value, 2)])),
    };
  });
}

describe("TensorBoardBackend", () => {
  it("uses CRC-32C", () => {
    expect(crc32c(Buffer.from("123456789"))).toBe(0xe3069283);
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(0))).toBe(0);
  });

  it("writes scalars that an independent decoder reads", async () => {
    const folder = temporaryFolder();
    const backend = TensorBoardBackend(path.join(folder, "tb"));
    const logger = MetricsLogger(path.join(folder, "metrics.jsonl"), { backends: [backend] });
    logger.log({
      step: 1,
      loss: 0.5,
      train: { lr: 0.25, größe: { x: -1 } },
      name: "text",
      list: [1],
      wall_time: 9.5,
    });
    logger.log({ step: 2 ** 40 + 3, reward: NaN, best: Infinity, done: true, wall_time: 10 });
    logger.log({ step: 3, note: "no numbers" });
    await logger.close();
    const [first, ...events] = eventsOf(backend.path);
    expect(path.basename(backend.path)).toMatch(/^events\.out\.tfevents\.\d{10}\./);
    expect(first).toMatchObject({ version: "brain.Event:2", scalars: {} });
    expect(events).toMatchObject([
      { time: 9.5, step: 1, scalars: { loss: 0.5, "train/lr": 0.25, "train/größe/x": -1 } },
      { time: 10, step: 2 ** 40 + 3, scalars: { reward: NaN, best: Infinity, done: 1 } },
    ]);
  });

  it("starts a new file for a resumed run and tells TensorBoard what to forget", async () => {
    const folder = temporaryFolder();
    const first = TensorBoardBackend(folder);
    const second = TensorBoardBackend(folder, { purgeStep: 300 });
    second.log({ step: 300, loss: 1, wall_time: 1 }, 300);
    for (const backend of [first, second]) await backend.close();
    expect(first.path).not.toBe(second.path);
    const [, start, event] = eventsOf(second.path);
    expect([start.step, start.session]).toEqual([300, Buffer.from([8, 1])]);
    expect(event).toMatchObject({ step: 300, scalars: { loss: 1 } });
  });

  it("says where it cannot write", () => {
    const file = path.join(temporaryFolder(), "file");
    MetricsLogger(file);
    expect(() => TensorBoardBackend(path.join(file, "tb"))).toThrow(
      /TensorBoardBackend: cannot write .*directory should be/,
    );
  });
});
