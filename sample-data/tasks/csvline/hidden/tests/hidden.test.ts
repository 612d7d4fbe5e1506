import { formatLine, parseLine } from "../src/csv.ts";
import { readTable, writeTable } from "../src/table.ts";

function check(name: string, seen: () => unknown, expected: unknown) {
  let text: string;
  try {
    text = JSON.stringify(seen());
  } catch (error) {
    text = String(error);
  }
  const wanted = JSON.stringify(expected);
  console.log(text === wanted ? `ok ${name}` : `not ok ${name} # ${text}, not ${wanted}`);
}

check("doubled-quote-is-one", () => parseLine('"say ""hi""",2'), ['say "hi"', "2"]);
check("quotes-are-escaped", () => formatLine(['say "hi"', "2"]), '"say ""hi""",2');
check("line-break-is-quoted", () => formatLine(["a\nb", "c"]), '"a\nb",c');
check("round-trip", () => {
  const fields = ['"', '""', 'a"b', "c,d", "e\nf", ""];
  return parseLine(formatLine(fields));
}, ['"', '""', 'a"b', "c,d", "e\nf", ""]);
check("plain-fields", () => parseLine("a;b", { separator: ";" }), ["a", "b"]);
check("empty-quoted-field", () => parseLine('"",x'), ["", "x"]);
check("table-with-quotes", () => readTable(writeTable(["q"], [{ q: 'x "y"' }])), [{ q: 'x "y"' }]);
