// Reads a TrueType font: widths and outlines of its letters.

/** Points of a closed outline, in ems from the baseline's start; y grows upwards. */
export type Contour = readonly (readonly [x: number, y: number])[];

export interface Glyph {
  /** How far the next letter is, in ems. */
  readonly advance: number;
  readonly contours: readonly Contour[];
}

/** A font: the glyph of a character, or `null` if the font has none. */
export type Font = (character: string) => Glyph | null;

interface OutlinePoint {
  readonly x: number;
  readonly y: number;
  readonly onCurve: boolean;
}

type Tables = ReadonlyMap<string, number>;

/** Where each table starts. */
function tablesOf(file: DataView): Tables {
  const tables = new Map<string, number>();
  for (let at = 12; at < 12 + 16 * file.getUint16(4); at += 16) {
    const tag = [0, 1, 2, 3].map((byte) => String.fromCharCode(file.getUint8(at + byte))).join("");
    tables.set(tag, file.getUint32(at + 8));
  }
  return tables;
}

function tableAt(tables: Tables, tag: string): number {
  const at = tables.get(tag);
  if (at === undefined) throw new Error(`the font has no table ${tag}`);
  return at;
}

/** From a character's code to its glyph's number, by the Unicode table of format 4; 0 is no glyph. */
function glyphNumber(file: DataView, cmap: number, code: number): number {
  const table = cmap + file.getUint32(cmap + 8);
  const doubled = file.getUint16(table + 6);
  for (let segment = 0; segment < doubled; segment += 2) {
    const end = table + 14 + segment;
    const start = end + doubled + 2;
    if (code > file.getUint16(end)) continue;
    if (code < file.getUint16(start)) return 0;
    const range = start + 2 * doubled;
    const offset = file.getUint16(range);
    const delta = file.getUint16(start + doubled);
    if (offset === 0) return (code + delta) & 0xffff;
    const number = file.getUint16(range + offset + 2 * (code - file.getUint16(start)));
    return number === 0 ? 0 : (number + delta) & 0xffff;
  }
  return 0;
}

/** Reads coordinates stored as differences of one or two bytes, or none where the flags say "the same". */
function coordinates(file: DataView, from: number, flags: readonly number[], short: number, same: number) {
  let at = from;
  let value = 0;
  const values = flags.map((flag) => {
    const isSame = (flag & same) !== 0;
    if ((flag & short) !== 0) value += (isSame ? 1 : -1) * file.getUint8(at++);
    else if (!isSame) {
      value += file.getInt16(at);
      at += 2;
    }
    return value;
  });
  return { values, end: at };
}

/** The outlines of a glyph that is not made of others. */
function simpleOutlines(file: DataView, glyph: number, contours: number): OutlinePoint[][] {
  const ends = Array.from({ length: contours }, (_, at) => file.getUint16(glyph + 10 + 2 * at));
  const count = (ends.at(-1) ?? -1) + 1;
  let at = glyph + 10 + 2 * contours;
  at += 2 + file.getUint16(at);
  const flags: number[] = [];
  while (flags.length < count) {
    const flag = file.getUint8(at++);
    const repeats = (flag & 8) === 0 ? 0 : file.getUint8(at++);
    for (let time = 0; time <= repeats; time++) flags.push(flag);
  }
  const xs = coordinates(file, at, flags, 2, 16);
  const ys = coordinates(file, xs.end, flags, 4, 32);
  const points = flags.map((flag, i) => ({ x: xs.values[i], y: ys.values[i], onCurve: (flag & 1) !== 0 }));
  return ends.map((end, i) => points.slice(i === 0 ? 0 : ends[i - 1] + 1, end + 1));
}

/** The outlines of a glyph that is made of others, such as "é": parts moved into place. */
function compositeOutlines(
  file: DataView,
  glyph: number,
  outlines: (glyph: number) => OutlinePoint[][],
): OutlinePoint[][] {
  const parts: OutlinePoint[][] = [];
  let at = glyph + 10;
  let flags = 0x20;
  while ((flags & 0x20) !== 0) {
    flags = file.getUint16(at);
    const words = (flags & 1) !== 0;
    const dx = words ? file.getInt16(at + 4) : file.getInt8(at + 4);
    const dy = words ? file.getInt16(at + 6) : file.getInt8(at + 5);
    for (const contour of outlines(file.getUint16(at + 2))) {
      parts.push(contour.map(({ x, y, onCurve }) => ({ x: x + dx, y: y + dy, onCurve })));
    }
    at += words ? 8 : 6;
  }
  return parts;
}

const curveSteps = 4;

/** Curves to short lines. Between two points off the curve lies one on it, half way. */
function flatten(contour: readonly OutlinePoint[], perEm: number): Contour {
  const { length } = contour;
  const middle = (a: OutlinePoint, b: OutlinePoint) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  return contour.flatMap((point, i) => {
    if (point.onCurve) return [[point.x / perEm, point.y / perEm] as const];
    const before = contour[(i + length - 1) % length];
    const after = contour[(i + 1) % length];
    const from = before.onCurve ? before : middle(before, point);
    const to = after.onCurve ? after : middle(point, after);
    return Array.from({ length: curveSteps + 1 }, (_, step) => {
      const t = step / curveSteps;
      const mix = (a: number, b: number, c: number) =>
        ((1 - t) * (1 - t) * a + 2 * t * (1 - t) * b + t * t * c) / perEm;
      return [mix(from.x, point.x, to.x), mix(from.y, point.y, to.y)] as const;
    });
  });
}

/** Opens a TrueType file. Glyphs are read when they are first asked for. */
export function readTrueType(bytes: Uint8Array): Font {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tables = tablesOf(file);
  const [cmap, glyf, head, hhea, hmtx, loca] = ["cmap", "glyf", "head", "hhea", "hmtx", "loca"].map((tag) =>
    tableAt(tables, tag),
  );
  const perEm = file.getUint16(head + 18);
  const hasLongOffsets = file.getInt16(head + 50) === 1;
  const lastWidth = file.getUint16(hhea + 34) - 1;
  const offset = (glyph: number): number =>
    hasLongOffsets ? file.getUint32(loca + 4 * glyph) : 2 * file.getUint16(loca + 2 * glyph);

  const outlines = (glyph: number): OutlinePoint[][] => {
    const [start, end] = [offset(glyph), offset(glyph + 1)];
    if (start === end) return [];
    const contours = file.getInt16(glyf + start);
    return contours >= 0
      ? simpleOutlines(file, glyf + start, contours)
      : compositeOutlines(file, glyf + start, outlines);
  };
  const known = new Map<string, Glyph | null>();
  const read = (character: string): Glyph | null => {
    const number = glyphNumber(file, cmap, character.codePointAt(0) ?? 0);
    if (number === 0) return null;
    return {
      advance: file.getUint16(hmtx + 4 * Math.min(number, lastWidth)) / perEm,
      contours: outlines(number).map((contour) => flatten(contour, perEm)),
    };
  };
  return (character) => {
    const glyph = known.get(character) ?? read(character);
    known.set(character, glyph);
    return glyph;
  };
}
