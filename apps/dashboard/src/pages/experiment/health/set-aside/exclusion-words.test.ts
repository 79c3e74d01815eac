import { describe, expect, test } from "vitest";
import { EMPTY, fieldOfPointer, toRequest } from "./exclusion-form.ts";
import {
  type ExclusionMatch,
  type ExclusionPreview,
  matchInWords,
  previewInWords,
} from "./exclusion-words.ts";

const plain = (text: string) => text.replaceAll("\u00a0", " ");

describe("a match in words", () => {
  test.each<{ match: ExclusionMatch; words: string }>([
    { match: { user_ids: ["ann"] }, words: "user ann" },
    { match: { user_ids: ["ann", "bob"], source: "import" }, words: "users ann, bob · source import" },
    { match: { user_ids: [] }, words: "users that were erased" },
    { match: { event_ids: ["1", "2", "3", "4", "5"] }, words: "events 1, 2, 3 and 2 more" },
    {
      match: { key_prefix: "svc_pk_1", client: "assay-java/1.0.0", variant: "b", business_metric: "bought" },
      words: "key svc_pk_1 · client assay-java/1.0.0 · variant b · metric bought",
    },
    {
      match: { from: "2026-05-04T11:00:00.000Z", to: "2026-05-04T12:00:00.000Z" },
      words: "from 4 May 2026, 11:00 UTC to before 4 May 2026, 12:00 UTC",
    },
    { match: { from: "2026-05-04T11:00:00.000Z" }, words: "from 4 May 2026, 11:00 UTC on" },
    { match: { to: "2026-05-04T11:00:00.000Z" }, words: "before 4 May 2026, 11:00 UTC" },
  ])("is $words", ({ match, words }) => {
    expect(matchInWords(match)).toBe(words);
  });
});

describe("a dry run in words", () => {
  const arm = (affected_users: number, removed_events: number) => ({
    ...{ arm: "a", users: 9, removed_users: 0, events: 99, affected_users, removed_events },
  });
  const preview = (arms: ExclusionPreview["arms"]): ExclusionPreview => ({
    ...{ arms, p_value: 1, differs: false, warning: null },
  });

  test("counts the events and the users of all arms", () => {
    const words = previewInWords(preview([arm(0, 2), arm(1, 1_200)]));
    expect(plain(words)).toBe("Sets aside 1,202 events of 1 exposed user.");
  });

  test("says when nothing matches yet", () => {
    expect(previewInWords(preview([arm(0, 0)]))).toMatch(/^No stored event matches/);
  });
});

describe("the form of an exclusion", () => {
  test("sends what is filled in, ids a line each and times in UTC", () => {
    const values = {
      ...EMPTY,
      reason: " Bots. ",
      user_ids: "ann\n\n  bob \n",
      source: "publishable",
      from: "2026-05-04T11:00",
      to: "2026-05-04T11:30:15",
    };
    expect(toRequest(values)).toEqual({
      reason: "Bots.",
      match: {
        user_ids: ["ann", "bob"],
        source: "publishable",
        from: "2026-05-04T11:00:00Z",
        to: "2026-05-04T11:30:15Z",
      },
    });
    expect(toRequest(EMPTY)).toEqual({ reason: "", match: {} });
  });

  test.each([
    { pointer: "/reason", field: "reason" },
    { pointer: "/match/user_ids/3", field: "user_ids" },
    { pointer: "/match/to", field: "to" },
    { pointer: "/match", field: null },
    { pointer: "", field: null },
  ])("shows a fault at $pointer at $field", ({ pointer, field }) => {
    expect(fieldOfPointer(pointer)).toBe(field);
  });
});
