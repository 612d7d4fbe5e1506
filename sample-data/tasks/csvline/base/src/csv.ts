/** How records are written and read. */
export interface CsvOptions {
  /** One character; a comma unless given. */
  separator?: string;
  /** Whether blanks around unquoted fields are dropped. */
  trim?: boolean;
}

/** Splits one record into its fields. */
export function parseLine(line: string, options: CsvOptions = {}): string[] {
  const separator = options.separator ?? ",";
  const fields: string[] = [];
  let field = "";
  let quoted = false;

  for (const char of line) {
    if (char === '"') {
      quoted = !quoted;
    } else if (char === separator && !quoted) {
      fields.push(field);
      field = "";
    } else {
      field += char;
    }
  }
  fields.push(field);
  return options.trim ? fields.map((text) => text.trim()) : fields;
}

/** Writes fields as one record, the opposite of `parseLine`. */
export function formatLine(fields: string[], options: CsvOptions = {}): string {
  const separator = options.separator ?? ",";
  return fields
    .map((field) => (field.includes(separator) ? `"${field}"` : field))
    .join(separator);
}
