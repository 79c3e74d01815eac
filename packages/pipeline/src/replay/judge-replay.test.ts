import { EXPERIMENT_UNITS, UNIT_WORDS } from "@assay/domain";
import { expect, test } from "vitest";
import { judgeReplay, type ReplayFacts, replayInWords } from "./judge-replay.ts";

const sound: ReplayFacts = {
  unit: "user",
  test: "permutation",
  falsePositiveRate: 0.05,
  band: { low: 0.033, high: 0.069 },
  effectSd: 1,
  standardError: 1,
  usersPerHalf: 500,
  rarerOutcomes: null,
  largestShare: 0.01,
  tiedShare: 0,
};
const alarms = { falsePositiveRate: 0.2 };

test.each<[string, Partial<ReplayFacts>, string, readonly string[], string]>([
  ["a rate at the lower end", { falsePositiveRate: 0.033 }, "correct", [], "as often as they should"],
  ["a rate at the upper end", { falsePositiveRate: 0.069 }, "correct", [], "as often as they should"],
  ["a rate below", { falsePositiveRate: 0.032 }, "cautious", ["unexplained"], "missed more often"],
  ["a rate above", { falsePositiveRate: 0.07 }, "false-alarms", ["unexplained"], "No usual cause"],
  ["one heavy user", { largestShare: 0.101 }, "doubtful", ["heavy-users"], "One user holds 10%"],
  ["a user at the limit", { largestShare: 0.1 }, "correct", [], "as often"],
  ["users who count alike", { largestShare: null, tiedShare: null }, "correct", [], "as often"],
  ["a small standard error", { effectSd: 1.26 }, "doubtful", ["standard-error"], "spread 1.26 times as far"],
  ["a large standard error", { effectSd: 0.74 }, "doubtful", ["standard-error"], "spread 0.74 times as far"],
  ["a standard error within bounds", { effectSd: 1.24 }, "correct", [], "as often"],
  ["no standard error", { standardError: null, effectSd: 9 }, "correct", [], "as often"],
  ["a standard error of 0", { standardError: 0, effectSd: 0 }, "correct", [], "as often"],
  ["few users", { ...alarms, usersPerHalf: 99 }, "false-alarms", ["few-users"], "only 99 users"],
  ["nearly enough users", { ...alarms, usersPerHalf: 99.6 }, "false-alarms", ["few-users"], "only 100 users"],
  ["just enough users", { usersPerHalf: 99 }, "correct", [], "as often"],
  ["a rare outcome", { ...alarms, rarerOutcomes: 9.4 }, "false-alarms", ["rare-outcome"], "only 9 users"],
  ["a common outcome", { ...alarms, rarerOutcomes: 10 }, "false-alarms", ["unexplained"], "No usual"],
  [
    "ties",
    { ...alarms, test: "mann_whitney_u", tiedShare: 0.6 },
    "false-alarms",
    ["ties"],
    "60% of the users have the same value",
  ],
  ["ties of no rank test", { ...alarms, tiedShare: 0.6 }, "false-alarms", ["unexplained"], "No usual"],
  [
    "few ties",
    { ...alarms, test: "mann_whitney_u", tiedShare: null },
    "false-alarms",
    ["unexplained"],
    "No usual",
  ],
  [
    "several causes",
    { ...alarms, largestShare: 0.5, effectSd: 2, usersPerHalf: 50 },
    "false-alarms",
    ["heavy-users", "few-users", "standard-error"],
    "do not base a decision on it",
  ],
])("%s", (_, change, verdict, causes, words) => {
  const facts = { ...sound, ...change };
  expect(judgeReplay(facts)).toEqual({ verdict, causes });
  expect(replayInWords(facts)).toContain(words);
});

test.each<[Partial<ReplayFacts>, readonly string[]]>([
  [{ usersPerHalf: 100 }, ["unexplained"]],
  [{ usersPerHalf: 99.5 }, ["few-users"]],
  [{ rarerOutcomes: 10 }, ["unexplained"]],
  [{ rarerOutcomes: 9.5 }, ["rare-outcome"]],
  [{ tiedShare: 0.5 }, ["unexplained"]],
  [{ tiedShare: 0.501 }, ["ties"]],
  [{ largestShare: 0.1 }, ["unexplained"]],
  [{ largestShare: 0.101 }, ["heavy-users"]],
  [{ effectSd: 1.25 }, ["unexplained"]],
  [{ effectSd: 1.251 }, ["standard-error"]],
  [{ effectSd: 0.75 }, ["unexplained"]],
  [{ effectSd: 0.749 }, ["standard-error"]],
])("too many differences with %j: %j", (change, causes) => {
  expect(judgeReplay({ ...sound, ...alarms, test: "mann_whitney_u", ...change })).toEqual({
    verdict: "false-alarms",
    causes,
  });
});

test.each(EXPERIMENT_UNITS)("the causes name the unit: %s", (unit) => {
  const { many } = UNIT_WORDS[unit];
  const facts = { ...sound, ...alarms, unit };
  const few = { usersPerHalf: 50, rarerOutcomes: 5, largestShare: 0.5 };
  const whose = unit === "user" ? "that user" : "its user";
  const text = replayInWords({ ...facts, ...few });
  expect(text).toContain(`One ${unit} holds 50% of the total: set ${whose} aside`);
  expect(text).toContain(`count ${many} instead of calls`);
  expect(text).toContain(`only 50 ${many} each`);
  expect(text).toContain(`only 5 ${many} with the rarer outcome`);
  const ties = replayInWords({ ...facts, test: "mann_whitney_u", tiedShare: 0.6 });
  expect(ties).toContain(`60% of the ${many} have the same value`);
  expect(ties).toContain(`measure a share of ${many} instead`);
});
