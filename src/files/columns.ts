// Text in columns, for consoles.

/** Lines of cells, each column as wide as its widest. The last cell of a line that is longer than `most` is broken. */
export function columns(rows: readonly (readonly string[])[], most = Infinity): string[] {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  return rows.flatMap((row) => {
    const [first, ...more] = wrapped(row[row.length - 1], most - before);
    const cells = [...row.slice(0, -1), first].map((cell, column) => cell.padEnd(widths[column]));
    return [cells.join("  ").trimEnd(), ...more.map((line) => " ".repeat(before) + line)];
  });
}

/** A text in lines of at most so many letters, broken between words. */
function wrapped(text: string, most: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line !== "" && line.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines;
}
