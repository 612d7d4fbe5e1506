import { formatLine, parseLine } from "./csv.ts";
import type { CsvOptions } from "./csv.ts";

/** A row, by column name. */
export type Row = Record<string, string>;

/** Reads a table whose first line names the columns. */
export function readTable(text: string, options: CsvOptions = {}): Row[] {
  const [head, ...lines] = text.split("\n").filter((line) => line !== "");
  if (head === undefined) {
    return [];
  }
  const names = parseLine(head, options);
  return lines.map((line) => {
    const values = parseLine(line, options);
    return Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]));
  });
}

/** Writes rows with the given columns. */
export function writeTable(names: string[], rows: Row[], options: CsvOptions = {}): string {
  const lines = rows.map((row) => formatLine(names.map((name) => row[name] ?? ""), options));
  return [formatLine(names, options), ...lines].join("\n") + "\n";
}
