// The blocks of an array as an SVG picture, with the devices that have them.
import type { Extent } from "./singleDeviceSharding.js";
import { labelOf, type ShardingGrid } from "./shardingGrid.js";

const [top, right, bottom] = [52, 16, 16];
// Letters of text of size 12 are less than 7 wide.
const letter = 7;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Colours that differ well from their neighbours, however many there are: steps of the golden angle. */
const colourOf = (index: number): string => `hsl(${Math.round((210 + index * 137.508) % 360)}, 60%, 85%)`;

const rangeOf = ({ start, stop }: Extent): string => `${start}:${stop}`;

/** A picture of a grid: a rectangle for each block, coloured by its first device, with ranges at the sides. */
export function drawSvg({ rows, columns, holders, title }: ShardingGrid): string {
  const longest = Math.max(...holders.flat().map((ids) => labelOf(ids).length));
  const cell = { width: Math.max(72, 8 * longest + 16, Math.ceil(240 / columns.length)), height: 40 };
  const hasRows = rows.length > 1 || rows[0].stop > 1;
  const left = right + (hasRows ? 8 + letter * Math.max(...rows.map((row) => rangeOf(row).length)) : 0);
  const width = Math.max(left + columns.length * cell.width + right, 2 * right + letter * title.length);
  const height = top + rows.length * cell.height + bottom;
  const text = (x: number, y: number, words: string, size: number, anchor = "middle"): string =>
    `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}">${escaped(words)}</text>`;
  const blocks = holders.flatMap((row, i) =>
    row.flatMap((ids, j) => {
      const [x, y] = [left + j * cell.width, top + i * cell.height];
      return [
        `<rect x="${x}" y="${y}" width="${cell.width}" height="${cell.height}" fill="${colourOf(ids[0])}" stroke="#444"/>`,
        text(x + cell.width / 2, y + cell.height / 2 + 5, labelOf(ids), 14),
      ];
    }),
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
      `font-family="system-ui, sans-serif" fill="#222">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    text(right, 20, title, 12, "start"),
    ...columns.map((column, j) => text(left + (j + 0.5) * cell.width, top - 8, rangeOf(column), 12)),
    ...(hasRows
      ? rows.map((row, i) => text(left - 8, top + (i + 0.5) * cell.height + 4, rangeOf(row), 12, "end"))
      : []),
    ...blocks,
    "</svg>",
    "",
  ].join("\n");
}
