import { describe, expect, test } from "vitest";
import { documented, documentedRow } from "../../../tests/documented.ts";
import { CHALLENGE_MS, MAX_PASSKEYS } from "./access/passkey.ts";
import { isUseWorthNoting, MAX_TOKEN_DAYS, MAX_TOKENS } from "./access/service-token.ts";
import { RUN_IDLE_MS } from "./agent-run/agent-run.ts";
import { exclusionBalance } from "./attribution/exclusion-effect.ts";
import { MAX_EXCLUDED_IDS } from "./attribution/exclusions.ts";
import { nearestOf } from "./attribution/refusal.ts";
import { nearestTo, questionIndex } from "./compare/nearest-question.ts";
import { parsePart, splitBatch } from "./event/split-batch.ts";
import { DEFAULT_HORIZON_WEEKS, DEFAULT_PLAN, MAX_HORIZON_WEEKS } from "./experiment/decision-plan.ts";
import { DEFAULT_GUARD } from "./experiment/guard.ts";
import { MAX_HOLDS } from "./experiment/hold.ts";
import { HOLDBACK_WEEKS } from "./experiment/holdback.ts";
import { JSON_LIMITS, measureJson } from "./json-limits.ts";
import { finderOf } from "./judge/find-text.ts";
import { DISAGREEMENT } from "./judge/judge.ts";
import { EARLY_CALLS } from "./judge/sample-plan.ts";
import { KEPT_BEGINNING, MAX_TRANSCRIPT } from "./judge/transcript.ts";
import { NO_ATTRIBUTION_FACTS } from "./ports/attribution-facts.ts";
import { GUARD_GROUPS } from "./ports/guard-sums.ts";
import {
  MAX_ARM_PARAMETERS,
  MAX_OPEN_REHEARSALS,
  MAX_REHEARSAL_ANSWERS,
  MAX_REHEARSAL_ARMS,
  MAX_REHEARSAL_BUDGET_USD,
  MAX_REHEARSAL_REPEATS,
  MIN_REHEARSAL_ARMS,
} from "./rehearsal/check-plan.ts";
import { MAX_DATASET_BYTES, MAX_DATASET_ITEMS, MAX_ITEM_CHARACTERS } from "./rehearsal/dataset.ts";
import { MAX_ANSWER_CHARACTERS } from "./rehearsal/input-text.ts";
import { MAX_OWN_MASKING_RULES } from "./rehearsal/masking-rules.ts";
import { MAX_UPLOAD_FAULTS } from "./rehearsal/upload-items.ts";
import { createRefusalWindows } from "./security/refusal-windows.ts";
import { MAX_KEPT_BY_EVENT, MAX_KEPT_BY_NETWORK, SECURITY_RETENTION_MS } from "./security/security-event.ts";

const MINUTE_MS = 60_000;
const bytes = (text: string) => new TextEncoder().encode(text);

describe("the documented limits of access", () => {
  test("passkeys per person, and the lifetime of a challenge", () => {
    expect(MAX_PASSKEYS).toBe(documented("identity.md", /at most (\d+) in each organization/));
    expect(CHALLENGE_MS).toBe(5 * MINUTE_MS);
  });

  test("service tokens: their number, their lifetime, and the precision of their last use", () => {
    expect(MAX_TOKENS).toBe(documented("identity.md", /An org has at most (\d+), each for at most/));
    expect(MAX_TOKEN_DAYS).toBe(
      documented("identity.md", /An org has at most \d+, each for at most (\d+) days/),
    );
    expect(isUseWorthNoting({ lastUsedAt: 0 }, MINUTE_MS)).toBe(true);
    expect(isUseWorthNoting({ lastUsedAt: 0 }, MINUTE_MS - 1)).toBe(false);
  });

  test("the security log: how long entries are kept, and how many per event and per network", () => {
    const days = documented("security-log.md", /They are kept for (\d+) days/);
    expect(SECURITY_RETENTION_MS).toBe(days * 24 * 60 * MINUTE_MS);
    expect(MAX_KEPT_BY_EVENT).toBe(documented("security-log.md", /at most ([\d,]+) of each event/));
    expect(MAX_KEPT_BY_NETWORK).toBe(documented("security-log.md", /at most (\d+) come from one network/));
  });

  test("2,000 windows of refusals are told apart; later ones share one per event", () => {
    const windows = createRefusalWindows();
    const open = (n: number) =>
      windows.open({
        name: "security.credential.refused",
        orgId: `org ${n}`,
        actor: null,
        network: "192.0.2.1",
        route: null,
        reason: null,
      });
    for (let n = 0; n < 2_000; n++) expect(open(n)).toBe(true);
    // The shared window's first, and its second.
    expect([open(2_000), open(2_001)]).toEqual([true, false]);
    expect(windows.close()).toEqual([
      { name: "security.credential.refused", orgId: null, network: null, leftOut: 1 },
    ]);
  });
});

describe("the documented limits of bodies", () => {
  test("depth, lists and values of JSON that is parsed at once", () => {
    const [, said = ""] = documentedRow(
      "limits.md",
      "JSON of a batch row or of any other body, before it is parsed",
    );
    const [depth, containers, values] = (said.match(/[\d,]+(?= )/g) ?? [])
      .map((number) => Number(number.replaceAll(",", "")))
      .filter((number) => number > 0);
    expect(JSON_LIMITS).toEqual({ depth, containers, values });
    const isWithin = (text: string) => measureJson(bytes(text), JSON_LIMITS).excess === null;
    expect(isWithin("[".repeat(100))).toBe(true);
    expect(isWithin("[".repeat(101))).toBe(false);
    expect(isWithin(`[${"0,".repeat(9_999)}0]`)).toBe(true);
    expect(isWithin(`[${"0,".repeat(10_000)}0]`)).toBe(false);
  });

  test("a batch has at most 1,000 rows: reading stops one row after the limit", () => {
    const rowsOf = (rows: number) => splitBatch(bytes(`[${"{},".repeat(rows - 1)}{}]`)).rows?.length;
    expect(rowsOf(999)).toBe(999);
    expect(rowsOf(1_000)).toBe(1_000);
    expect(rowsOf(1_001)).toBe(1_001);
    expect(rowsOf(1_500)).toBe(1_001);
    const rest = (rows: number) => () => splitBatch(bytes(`[${"{},".repeat(rows - 1)}{}] more`));
    expect(rest(1_000)).toThrow("something follows its end");
    expect(rest(1_001)).not.toThrow();
  });

  test("a body has 100 names", () => {
    const body = (names: number) => {
      const members = Array.from({ length: names }, (_, n) => `"n${n}": ${n}`);
      return bytes(`{${members.join(", ")}}`);
    };
    const json = body(100);
    const { others } = splitBatch(json);
    expect(others.size).toBe(100);
    expect(parsePart(json, others.get("n99")!)).toBe(99);
    expect(() => splitBatch(body(101))).toThrow("an object has more than 100 names");
  });

  test("ids in one list of an exclusion", () => {
    const list = (name: string) =>
      Number(/at most ([\d,]+)/.exec(documentedRow("exclusions.md", name)[1]!)?.[1]?.replace(",", ""));
    expect([list("`user_ids`"), list("`event_ids`")]).toEqual([MAX_EXCLUDED_IDS, MAX_EXCLUDED_IDS]);
  });
});

/** The numbers of a text, in order. */
const numbersIn = (text = "") =>
  (text.match(/\d[\d,]*/g) ?? []).map((number) => Number(number.replaceAll(",", "")));

describe("the documented limits of rehearsals", () => {
  test("arms, repeats, answers, parameters and money", () => {
    const [, limits] = documentedRow("limits.md", "a [rehearsal](rehearsals.md)");
    expect(numbersIn(limits)).toEqual([
      ...[MIN_REHEARSAL_ARMS, MAX_REHEARSAL_ARMS, MAX_REHEARSAL_REPEATS],
      ...[MAX_REHEARSAL_ANSWERS, MAX_ANSWER_CHARACTERS, MAX_ARM_PARAMETERS, MAX_REHEARSAL_BUDGET_USD],
    ]);
    const [, open] = documentedRow("limits.md", "rehearsals that run or are paused");
    expect(numbersIn(open)).toEqual([MAX_OPEN_REHEARSALS]);
  });

  test("datasets, uploads and masking", () => {
    const [, inputs] = documentedRow("datasets.md", "inputs");
    expect(numbersIn(inputs)).toEqual([MAX_DATASET_ITEMS]);
    const [, together] = documentedRow(
      "datasets.md",
      "texts together, and an uploaded file before and after decompression",
    );
    expect(numbersIn(together)).toEqual([MAX_DATASET_BYTES / 1024 ** 2]);
    const [, each] = documentedRow("datasets.md", "an input, and its reference");
    expect(numbersIn(each)).toEqual([MAX_ITEM_CHARACTERS]);
    expect(MAX_UPLOAD_FAULTS).toBe(documented("datasets.md", /`errors` has up to (\d+) rows/));
    expect(MAX_OWN_MASKING_RULES).toBe(documented("datasets.md", /has up to (\d+) \*\*rules of its own/));
  });
});

describe("the documented numbers of experiments", () => {
  test("what a guard accepts by default", () => {
    const acceptable = (signal: string) => numbersIn(documentedRow("guard.md", `\`${signal}\``)[2])[0]! / 100;
    expect(DEFAULT_GUARD).toEqual({
      errorRate: acceptable("error_rate"),
      latency: acceptable("latency"),
      costPerCall: acceptable("cost_per_call"),
      costPerUser: acceptable("cost_per_user"),
      missingUsage: acceptable("missing_usage"),
      truncation: acceptable("truncation"),
    });
    expect(GUARD_GROUPS).toBe(documented("guard.md", /put into (\d+) groups by a hash/));
  });

  test("how often an experiment is held, and how long users are held back", () => {
    expect(MAX_HOLDS).toBe(documented("experiments.md", /can be held (\d+) times/));
    expect(HOLDBACK_WEEKS).toBe(documented("experiments.md", /It ends after (\d+) weeks/));
  });

  test("when a run without an end is over", () => {
    const minutes = documented("metric-definitions.md", /has been idle for (\d+) minutes at the cut-off/);
    expect(RUN_IDLE_MS).toBe(minutes * MINUTE_MS);
  });

  test("how much of a transcript a judge sees", () => {
    const most = documented("judges.md", /At most ([\d,]+) characters/);
    const beginning = documented("judges.md", /the judge sees the first ([\d,]+) and the last/);
    const end = documented("judges.md", /the judge sees the first [\d,]+ and the last ([\d,]+);/);
    expect([MAX_TRANSCRIPT, KEPT_BEGINNING]).toEqual([most, beginning]);
    expect(beginning + end).toBe(most);
  });

  test("the defaults of a decision plan", () => {
    const [, weeks] = documentedRow("decisions.md", "`min_weeks`");
    const [, levels] = documentedRow("decisions.md", "`alpha`, `power`");
    expect(DEFAULT_PLAN).toEqual({
      horizonWeeks: null,
      basis: null,
      expectedUsers: null,
      minWeeks: Number(weeks),
      looks: "group_sequential",
      alpha: Number(levels?.split(", ")[0]),
      power: Number(levels?.split(", ")[1]),
      futility: true,
      reason: null,
    });
    expect(documentedRow("decisions.md", "`horizon_weeks`")[2]).toContain(`at most ${MAX_HORIZON_WEEKS}`);
    expect(documentedRow("decisions.md", "`looks`")[1]).toBe(`\`${DEFAULT_PLAN.looks}\``);
    // "with a horizon of two weeks".
    expect(DEFAULT_HORIZON_WEEKS).toBe(2);
  });

  test("the p-value below which an exclusion warns", () => {
    const level = documented("exclusions.md", /lose users at different rates \(p < ([\d.]+)\)/);
    const found = new Set<string>();
    for (let lost = 0; lost < 60; lost++) {
      const effect = (arm: string, affectedUsers: number) => {
        const none = { removedUsers: 0, events: 0, removedEvents: 0 };
        return { arm, users: 100_000, affectedUsers, ...none };
      };
      const { pValue, differs } = exclusionBalance([effect("a", 100), effect("b", 100 + lost)]);
      expect(differs).toBe(pValue! < level);
      if (pValue! > 0.8 * level && pValue! < 1.2 * level) found.add(String(differs));
    }
    // Some of the p-values lie within a fifth of the level, on either side.
    expect(found).toEqual(new Set(["true", "false"]));
  });

  test("a judge's early calls per day, and how far its score may be from a person's", () => {
    expect(EARLY_CALLS).toBe(documented("judges.md", /scored early\*\*: up to (\d+) per metric and day/));
    // One level is a disagreement on every scale; on the scale 0-1, a quarter is not.
    expect(DISAGREEMENT).toBe(0.25);
  });

  test("an experiment without events has no superseded ids", () => {
    expect(NO_ATTRIBUTION_FACTS).toEqual({
      firstExposures: [],
      ineligible: [],
      outcomes: [],
      supersededIds: 0,
    });
  });
});

describe("how similar is similar enough", () => {
  test("questions that share half of their words", () => {
    const index = questionIndex([new Set(["a", "b", "c", "d", "e", "f"])]);
    const nearest = (...words: string[]) => nearestTo(new Set(words), index, () => true)?.likeness;
    expect(nearest("a", "b", "c")).toBe(0.5);
    // 4 of 9, and 5 of 9.
    expect(nearest("a", "b", "c", "d", "x", "y", "z")).toBeUndefined();
    expect(nearest("a", "b", "c", "d", "e", "x", "y", "z")).toBe(5 / 9);
  });

  test("names of up to 32 characters with up to two typos; longer ones only if they differ in case", () => {
    const typo = (length: number) => nearestOf("x".repeat(length), [`${"x".repeat(length - 1)}y`]);
    expect(typo(32)).toBe(`${"x".repeat(31)}y`);
    expect(typo(33)).toBeNull();
    expect(nearestOf("X".repeat(33), ["x".repeat(33)])).toBe("x".repeat(33));
    expect(nearestOf("x".repeat(31), ["x".repeat(33)])).toBeNull();
    expect(nearestOf("controll", ["treatment", "control"])).toBe("control");
    expect(nearestOf("kontroll", ["control"])).toBe("control");
    expect(nearestOf("kontrrll", ["control"])).toBeNull();
  });

  test("texts of 33 characters or more are not found by the runtime's own search", () => {
    // The runtime's `indexOf` reads the whole text; ours reads character by character.
    const asks = (length: number) => {
      let asked = "indexOf";
      const text = {
        length: 40,
        indexOf: () => -1,
        charCodeAt: () => {
          asked = "charCodeAt";
          return 0;
        },
      };
      finderOf("a".repeat(length))(text as unknown as string, 0);
      return asked;
    };
    expect([asks(32), asks(33)]).toEqual(["indexOf", "charCodeAt"]);
  });
});
