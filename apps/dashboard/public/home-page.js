import { request } from "./api.js";
import { armLabel, armsOf } from "./arms.js";
import { el, panel, replace, table } from "./dom.js";
import { instant, runName } from "./format.js";
import { keysPanel } from "./keys-panel.js";
import { shareOf, stateOf } from "./words.js";

/** Shows the org's experiments and keys. @param {HTMLElement} main */
export function homePage(main) {
  document.title = "Experiments · Assay";
  replace(
    main,
    el("h1", {}, "Experiments"),
    panel("All experiments", loadExperiments).node,
    panel("API keys", keysPanel).node,
  );
}

async function loadExperiments() {
  const [experiments, runs] = await Promise.all([
    request("GET", "/v1/experiments"),
    request("GET", "/v1/results/summary"),
  ]);
  if (experiments.length === 0) return emptyState();
  const runOf = new Map(runs.map((run) => [run.experiment_id, run]));
  return table({
    caption: "All experiments, newest first",
    captionHidden: true,
    narrow: "stacks",
    columns: ["Experiment", "State", "Variants, effective split", "Last run"],
    rows: experiments.map((experiment) => experimentRow(experiment, runOf.get(experiment.id))),
  });
}

function experimentRow(experiment, run) {
  return [
    el("a", { href: `/experiments/${encodeURIComponent(experiment.id)}`, class: "name" }, experiment.name),
    stateCell(experiment, run),
    variantsCell(experiment),
    run ? lastRun(run) : el("small", {}, "None yet"),
  ];
}

function stateCell(experiment, run) {
  const { word, tone, sentences } = stateOf(experiment, run);
  return el(
    "div",
    { class: "state" },
    el("span", { class: `badge ${tone}` }, word),
    run?.preliminary && el("span", { class: "badge quiet" }, "Preliminary"),
    sentences.map((sentence) => el("p", {}, sentence)),
  );
}

function variantsCell(experiment) {
  const arms = armsOf(experiment);
  return el(
    "ul",
    { class: "arms" },
    arms.map((arm) => el("li", {}, armLabel(arm), " ", el("small", {}, shareOf(experiment, arm.key)))),
  );
}

function lastRun(run) {
  return el(
    "span",
    { class: "stacked run" },
    el("span", {}, runName(run.computed_for)),
    el("small", {}, "computed ", instant(run.computed_at)),
  );
}

function emptyState() {
  return [
    el(
      "p",
      {},
      "No experiments yet. Compare two prompts on real users: this makes the first one, run where Assay's data folder is.",
    ),
    el("pre", { tabindex: 0, "aria-label": "Command that creates an experiment" }, firstExperiment()),
    el(
      "p",
      {},
      "Then make a publishable key below and let a client assign and track. Every route is in the ",
      el("a", { href: "/docs" }, "API documents"),
      ".",
    ),
  ];
}

function firstExperiment() {
  const body = {
    name: "answer-style",
    salt: "answer-style-1",
    bucket_count: 1000,
    allocation: ["control", "concise"].map((variant) => ({ variant, weight: 1 })),
    variants: [
      { key: "control", prompt: "You are a helpful assistant." },
      { key: "concise", prompt: "You are a helpful assistant. Be concise." },
    ],
    metrics: [
      {
        name: "cost_per_call",
        kind: "ratio",
        category: "cost",
        role: "primary",
        method_default: "auto",
        metric_version: 1,
        shared_org_wide: false,
      },
    ],
  };
  return [
    `curl ${location.origin}/v1/experiments \\`,
    `  -H "Authorization: Bearer $(npm run --silent assay -- session-token)" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${JSON.stringify(body, null, 2)}'`,
  ].join("\n");
}
