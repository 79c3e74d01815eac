import { expect, test } from "vitest";
import { originsOf } from "./origins.ts";

test.each([
  ["", null],
  [" \n\n", null],
  ["https://a.example", ["https://a.example"]],
  [" https://a.example\r\n\nhttp://localhost:3000 \n", ["https://a.example", "http://localhost:3000"]],
])("%j has the origins %j", (text, origins) => expect(originsOf(text)).toEqual(origins));
