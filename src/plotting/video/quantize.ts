// Few colours that stand for many: exact where they are few enough, otherwise by median cut.
import { colorAt, type Frame } from "./frame.js";

export interface Palette {
  /** 0xrrggbb. */
  readonly colors: readonly number[];
  /** The number in the palette of the colour that is nearest. */
  indexOf(color: number): number;
}

/** How often a colour occurs. */
interface Count {
  readonly color: number;
  readonly count: number;
}

const channel = (color: number, axis: number): number => (color >> (16 - 8 * axis)) & 255;
const axes: readonly number[] = [0, 1, 2];

/** How often each colour occurs in some frames. */
function countColors(frames: Iterable<Frame>): Count[] {
  const counts = new Map<number, number>();
  for (const { width, height, pixels } of frames) {
    for (let pixel = 0; pixel < width * height; pixel++) {
      const color = colorAt(pixels, pixel);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
  }
  return [...counts].map(([color, count]) => ({ color, count }));
}

/** The channel in which some colours differ most, and by how much. */
function widest(colors: readonly Count[]): { axis: number; range: number } {
  const ranges = axes.map((axis) => {
    let [low, high] = [255, 0];
    for (const { color } of colors) {
      low = Math.min(low, channel(color, axis));
      high = Math.max(high, channel(color, axis));
    }
    return { axis, range: high - low };
  });
  return ranges.reduce((best, next) => (next.range > best.range ? next : best));
}

/** The mean of some colours by how often they occur. */
function average(colors: readonly Count[]): number {
  const total = colors.reduce((sum, { count }) => sum + count, 0);
  const [red, green, blue] = axes.map((axis) =>
    Math.round(colors.reduce((sum, { color, count }) => sum + channel(color, axis) * count, 0) / total),
  );
  return (red << 16) | (green << 8) | blue;
}

/** Splits the set of colours that spreads most at its middle, until there are as many sets as wanted. */
function medianCut(colors: readonly Count[], most: number): number[] {
  const measured = (own: readonly Count[]) => ({ colors: own, ...widest(own) });
  const sets = [measured(colors)];
  while (sets.length < most) {
    // Rare colours matter too: edges are thin. So the set's size counts less than its spread.
    const weight = ({ colors: own, range }: (typeof sets)[number]): number =>
      range * Math.log2(1 + own.length);
    const at = sets.reduce((best, set, index) => (weight(set) > weight(sets[best]) ? index : best), 0);
    const { colors: split, axis, range } = sets[at];
    if (range === 0) break;
    const sorted = [...split].sort((a, b) => channel(a.color, axis) - channel(b.color, axis));
    const middle = sorted.length >> 1;
    const halves = [sorted.slice(0, middle), sorted.slice(middle)];
    sets.splice(at, 1, ...halves.map(measured));
  }
  return sets.map((set) => average(set.colors));
}

const distance = (a: number, b: number): number =>
  axes.reduce((sum, axis) => sum + (channel(a, axis) - channel(b, axis)) ** 2, 0);

/** A palette of at most `most` colours for frames like these. */
export function paletteOf(frames: Iterable<Frame>, most: number): Palette {
  const counts = countColors(frames);
  const colors = counts.length <= most ? counts.map(({ color }) => color) : medianCut(counts, most);
  const known = new Map(colors.map((color, index) => [color, index]));
  return {
    colors,
    indexOf(color) {
      const found = known.get(color);
      if (found !== undefined) return found;
      const nearest = colors.reduce(
        (best, candidate, index) =>
          distance(candidate, color) < distance(colors[best], color) ? index : best,
        0,
      );
      known.set(color, nearest);
      return nearest;
    },
  };
}
