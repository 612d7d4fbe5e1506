import assert from "node:assert/strict";
import { test } from "node:test";

import { formatLine, parseLine } from "../src/csv.ts";

test("fields are split", () => {
  assert.deepEqual(parseLine("a,b,,c"), ["a", "b", "", "c"]);
});

test("quoted separators stay", () => {
  assert.deepEqual(parseLine('"a,b",c'), ["a,b", "c"]);
});

test("separators are quoted", () => {
  assert.equal(formatLine(["a,b", "c"]), '"a,b",c');
});
