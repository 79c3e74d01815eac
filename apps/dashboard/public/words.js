import { interval, percent, unitOf } from "./format.js";

/**
 * @typedef {object} State
 * @property {string} word the badge
 * @property {"quiet" | "info" | "good" | "bad" | "warn"} tone
 * @property {string[]} sentences what it means
 */

/**
 * Says where an experiment stands.
 * @param {any} experiment
 * @param {any} [run] the results of a run; absent: none yet
 * @returns {State}
 */
export function stateOf(experiment, run) {
  const state = stateOfRun(experiment, run);
  if (experiment.status === "draft") {
    return { word: "Draft", tone: "quiet", sentences: ["Assigns nobody until its status is running."] };
  }
  if (experiment.status !== "stopped") return state;
  const stopped = "Assigns nobody any more.";
  return { word: "Stopped", tone: "quiet", sentences: run ? [...state.sentences, stopped] : [stopped] };
}

function stateOfRun(experiment, run) {
  const rows = Object.values(run?.results ?? {});
  if (run?.srm.status === "halted") return withheld();
  if (rows.length === 0) return collecting(experiment, run);
  const decided = rows.filter(({ verdict }) => verdict !== "inconclusive");
  if (decided.length === 0) return noDifference(rows);
  const sentences = byRole(decided).map((row) => verdictSentence(row, experiment));
  const failing = decided.some(({ role, verdict }) => role === "guardrail" && verdict === "worse");
  if (failing) return { word: "Guardrail failing", tone: "bad", sentences };
  return { word: "Difference found", tone: "good", sentences };
}

function withheld() {
  const word = "Results withheld: traffic split is off";
  return { word, tone: "warn", sentences: ["Nothing is compared until the cause of the split is found."] };
}

function collecting({ metrics }, run) {
  const reason =
    metrics.length === 0
      ? "No metric is defined, so there is nothing to compare: add one with PUT /v1/experiments/{id}."
      : run?.preliminary
        ? "No metric could be compared in this run: an arm has too few users."
        : "Results appear after the nightly run once every arm has about 200 evaluated events.";
  return { word: "Collecting", tone: "quiet", sentences: [reason] };
}

function noDifference(rows) {
  const many = rows.length === 1 ? "The one comparison" : `None of ${rows.length} comparisons`;
  const rest = rows.length === 1 ? "is not clear" : "is clear";
  const sentence = `${many} ${rest} after correction. That is not proof of no effect: see what each interval still allows.`;
  return { word: "No difference found", tone: "info", sentences: [sentence] };
}

const ROLES = ["primary", "guardrail", "secondary"];

/** Orders rows: primary, guardrails, the rest. @param {any[]} rows */
export function byRole(rows) {
  return rows.toSorted((a, b) => ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
}

/** Says a decided row in one sentence. @param {any} row @param {any} experiment */
export function verdictSentence(row, experiment) {
  const verb = row.effect < 0 ? "lowers" : "raises";
  const size = sizeInWords(row, experiment);
  const role = row.role === "secondary" ? "" : ` (${row.role})`;
  return `${row.treatment} ${verb} ${row.metric}${role} by ${size}: ${row.verdict} than ${row.control}.`;
}

function sizeInWords(row, experiment) {
  const isRelative = row.relative_effect !== null;
  const { difference } = unitOf(experiment.metrics.find(({ name }) => name === row.metric));
  const write = isRelative ? percent : difference;
  const effect = Math.abs(isRelative ? row.relative_effect : row.effect);
  const bounds = isRelative
    ? interval(row.relative_ci_low, row.relative_ci_high, write)
    : interval(row.ci_low, row.ci_high, write);
  return bounds === null ? write(effect) : `${write(effect)} (95\u00a0% interval ${bounds})`;
}

/** The one sentence at the head of an experiment. @param {any} experiment @param {any} run */
export function headline(experiment, run) {
  const state = stateOf(experiment, run);
  const rows = Object.values(run?.results ?? {});
  const decided = byRole(rows.filter(({ verdict }) => verdict !== "inconclusive"));
  if (decided.length === 0 || run.srm.status === "halted" || experiment.status === "draft") {
    return `${state.word}. ${state.sentences[0]}`;
  }
  const first = decided.filter(({ role }) => role === decided[0].role);
  const clauses = first.map((row) => {
    const change = row.relative_effect === null ? "" : ` by ${percent(Math.abs(row.relative_effect))}`;
    return `${row.treatment} ${row.effect < 0 ? "lowers" : "raises"} ${row.metric}${change} (${row.verdict})`;
  });
  return `${clauses.join("; ")}${guardrailClause(rows, first[0].role)}.`;
}

function guardrailClause(rows, role) {
  const guardrails = rows.filter((row) => row.role === "guardrail");
  if (guardrails.length === 0 || role === "guardrail") return "";
  const worse = guardrails.filter(({ verdict }) => verdict === "worse");
  if (worse.length === 0) return "; no guardrail is clearly worse, which does not prove it safe";
  return `; guardrail worse: ${worse.map(({ metric, treatment }) => `${metric} with ${treatment}`).join(", ")}`;
}

export const VERDICTS = {
  better: { word: "Better", icon: "▲", tone: "good" },
  worse: { word: "Worse", icon: "▼", tone: "bad" },
  inconclusive: { word: "Not clear yet", icon: "●", tone: "quiet" },
};

/** Writes the share of all users that a variant really has. @param {any} experiment @param {string} key */
export function shareOf({ effective_allocation: shares }, key) {
  return percent(shares[key] ?? 0);
}

/** What a difference must reach to be seen, in words; null when unknown. @param {any} row @param {any} experiment */
export function sensitivity({ mde, metric }, experiment) {
  if (mde === null) return null;
  const { difference } = unitOf(experiment.metrics.find(({ name }) => name === metric));
  return `A change of ±${difference(mde)} or more would likely show.`;
}
