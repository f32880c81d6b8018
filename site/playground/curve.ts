// The curve of a run as a table.

/** Records as CSV: a column for every number that occurs, empty where a record has none. */
export function toCsv(records: readonly object[]): string {
  const rows = records as readonly Readonly<Record<string, unknown>>[];
  const names = new Set<string>();
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) if (typeof value === "number") names.add(name);
  const columns = [...names];
  const cell = (value: unknown): string => (typeof value === "number" ? String(value) : "");
  const lines = rows.map((row) => columns.map((name) => cell(row[name])).join(","));
  return [columns.join(","), ...lines, ""].join("\n");
}
