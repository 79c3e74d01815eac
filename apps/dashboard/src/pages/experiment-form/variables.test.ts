import { describe, expect, test } from "vitest";
import { fromVariables, newRow, textVariable, toggleJson, toVariables, variablesFault } from "./variables.ts";

describe("variables", () => {
  test.each([
    ["0.2", 0.2],
    ["true", true],
    ["gpt-5-mini", "gpt-5-mini"],
    ['"0.2"', "0.2"],
    ["[1, 2]", [1, 2]],
    ["", ""],
    // A long id and a number beyond all bounds stay what was typed.
    ["12345678901234567890", "12345678901234567890"],
    ["1e999", "1e999"],
    ["9007199254740991", 9007199254740991],
    ["1e300", 1e300],
  ])("reads %s", (value, read) => {
    expect(toVariables({ isJson: false, json: "", rows: [newRow(" k ", value)] })).toEqual({ k: read });
  });

  test("change between table and JSON without a loss", () => {
    const variables = { model: "m", temperature: 0.2, text: "1", list: [1], huge: 1e20 };
    const json = toggleJson(fromVariables(variables));
    expect(json.isJson).toBe(true);
    expect(toVariables(json)).toEqual(variables);
    expect(toVariables(toggleJson(json))).toEqual(variables);
  });

  test("stay JSON while that cannot be read", () => {
    const broken = { isJson: true, rows: [], json: "{" };
    expect(toggleJson(broken)).toBe(broken);
    expect(variablesFault(broken)).toMatch(/JSON object/);
    expect(toVariables(broken)).toBeNull();
  });

  test.each(['{"id": 12345678901234567890}', '{"n": [1e999]}', '{"__proto__": {}}'])(
    "refuse JSON that would arrive otherwise: %s",
    (json) => expect(variablesFault({ isJson: true, rows: [], json })).toMatch(/JSON object.*Quote numbers/),
  );

  test("say what is wrong with a table", () => {
    const table = (...rows: [string, string][]) => ({
      isJson: false,
      json: "",
      rows: rows.map(([key, value]) => newRow(key, value)),
    });
    expect(variablesFault(table(["a", "1"], ["a", "2"]))).toMatch(/twice/);
    expect(variablesFault(table(["", "1"]))).toMatch(/no name/);
    expect(variablesFault(table(["__proto__", "1"]))).toMatch(/cannot be the name/);
    expect(variablesFault(table(["", ""], ["b", ""]))).toBeNull();
    expect(textVariable(table(["model", "m"]), "model")).toBe("m");
    expect(textVariable(table(["model", "5"]), "model")).toBeNull();
  });
});
