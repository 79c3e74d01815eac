import { describe, expect, test } from "vitest";
import { textAt, textsOfRun, versionOfRun } from "./run-texts.ts";

type Versions = Parameters<typeof textsOfRun>[0];

const at = (day: number, hour = 0) => new Date(Date.UTC(2026, 10, day, hour)).toISOString();
/** Versions of the days on which a prompt was saved, newest first. */
const versionsOf = (prompts: readonly (readonly [day: number, prompt: string])[]) =>
  prompts
    .map(([day, prompt], index) => ({
      ...{ version: index + 1, updated_at: at(day) },
      variants: [{ key: "control" }, { key: "concise", prompt, variables: null }],
    }))
    .toReversed() as unknown as Versions;
const run = (from: number | null, to: number) => ({
  window: { from: from === null ? null : at(from), to: at(to) },
});
const promptsOf = (versions: Versions, of: ReturnType<typeof run>) =>
  textsOfRun(versions, of, "concise").map(({ prompt, since }) => [prompt, since]);

describe("the texts of a run", () => {
  test("are those of its version, not today's", () => {
    const versions = versionsOf([
      [1, "old"],
      [9, "new"],
    ]);
    expect(promptsOf(versions, run(2, 8))).toEqual([["old", null]]);
    expect(versionOfRun(versions, run(2, 8))?.version).toBe(1);
    // A change at the very end of the window, saved before the night was computed.
    expect(promptsOf(versions, run(2, 9))).toEqual([["old", null]]);
    expect(promptsOf(versions, run(10, 12))).toEqual([["new", null]]);
  });

  test("that changed within the window are told with their day", () => {
    const versions = versionsOf([
      [1, "first"],
      [3, "second"],
      [4, "second"],
      [5, "third"],
      [9, "later"],
    ]);
    expect(promptsOf(versions, run(2, 8))).toEqual([
      ["first", null],
      ["second", at(3)],
      ["third", at(5)],
    ]);
    expect(promptsOf(versions, run(4, 8))).toEqual([
      ["second", null],
      ["third", at(5)],
    ]);
    expect(promptsOf(versions, run(null, 4))).toHaveLength(2);
  });

  test("of a variant that came later, and of none", () => {
    const versions = versionsOf([[1, "first"]]);
    expect(textsOfRun(versions, run(2, 8), "control")).toMatchObject([{ since: null }]);
    expect(textsOfRun(versions, run(2, 8), "other")).toEqual([]);
    expect(textsOfRun([], run(2, 8), "concise")).toEqual([]);
    const [second, first] = versionsOf([
      [1, "first"],
      [5, "second"],
    ]);
    const added = [second!, { ...first!, variants: [{ key: "control" }] }] as unknown as Versions;
    expect(promptsOf(added, run(2, 8))).toEqual([["second", at(5)]]);
    // Events from before the experiment was created.
    expect(promptsOf(versionsOf([[9, "first"]]), run(2, 8))).toEqual([["first", null]]);
  });

  test("are compared with the text of the same time", () => {
    const texts = [
      { prompt: "first", since: null },
      { prompt: "second", since: at(3) },
    ];
    const found = (since: string | null) => textAt(texts, since)?.prompt;
    expect([found(null), found(at(2)), found(at(3)), found(at(5))]).toEqual([
      "first",
      "first",
      "second",
      "second",
    ]);
    expect(textAt(texts.slice(1), null)).toBe(null);
  });
});
