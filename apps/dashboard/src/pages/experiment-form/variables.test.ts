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
  ])("reads %s", (value, read) => {
    expect(toVariables({ isJson: false, json: "", rows: [newRow(" k ", value)] })).toEqual({ k: read });
  });

  test("change between table and JSON without a loss", () => {
    const variables = { model: "m", temperature: 0.2, text: "1", list: [1] };
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

  test("say what is wrong with a table", () => {
    const table = (...rows: [string, string][]) => ({
      isJson: false,
      json: "",
      rows: rows.map(([key, value]) => newRow(key, value)),
    });
    expect(variablesFault(table(["a", "1"], ["a", "2"]))).toMatch(/twice/);
    expect(variablesFault(table(["", "1"]))).toMatch(/no name/);
    expect(variablesFault(table(["", ""], ["b", ""]))).toBeNull();
    expect(textVariable(table(["model", "m"]), "model")).toBe("m");
    expect(textVariable(table(["model", "5"]), "model")).toBeNull();
  });
});
