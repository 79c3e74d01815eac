import { armLabel, controlNote } from "./arms.js";
import { el, table } from "./dom.js";
import { instant, percent } from "./format.js";
import { shareOf } from "./words.js";

/**
 * Shows what the experiment is: variants side by side, metrics and frozen facts.
 * @param {any} experiment @param {import("./arms.js").Arm[]} arms
 */
export function setup(experiment, arms) {
  return [
    experiment.description && el("p", {}, experiment.description),
    el("h3", {}, "Variants"),
    splitNote(experiment),
    el(
      "div",
      { class: "variants" },
      arms.map((arm) => variantCard(arm, experiment)),
    ),
    el("h3", {}, "Metrics"),
    experiment.metrics.length === 0
      ? el(
          "p",
          {},
          "None. Add one with PUT /v1/experiments/{id}; see the ",
          el("a", { href: "/docs" }, "API documents"),
          ".",
        )
      : metricsTable(experiment.metrics),
    el("h3", {}, "Facts"),
    facts(experiment),
  ];
}

/** Weights that were changed under way reach new buckets only (contract: allocation is sticky). */
function splitNote({ status, allocation, coverage = 1, effective_allocation: shares }) {
  const total = allocation.reduce((sum, { weight }) => sum + weight, 0);
  const isAsked = allocation.every(
    ({ variant, weight }) => Math.abs((shares[variant] ?? 0) - (coverage * weight) / total) < 0.005,
  );
  if (status === "draft") return el("p", { class: "note" }, "A draft assigns nobody.");
  const text = isAsked
    ? `The experiment takes ${percent(coverage)} of all users; the shares below are what is in force.`
    : "The shares in force differ from the weights asked for: users who may hold a variant keep it, so new weights reach only users nobody has assigned yet.";
  return el("p", { class: "note" }, text);
}

function variantCard(arm, experiment) {
  const variant = (experiment.variants ?? []).find(({ key }) => key === arm.key) ?? {};
  const weight = experiment.allocation.find((slice) => slice.variant === arm.key)?.weight ?? 0;
  return el(
    "article",
    { class: "card" },
    el("h4", {}, armLabel(arm, controlNote(arm, experiment.control))),
    el("p", {}, `${shareOf(experiment, arm.key)} of users in force, weight ${weight}`),
    variant.enabled === false &&
      el(
        "p",
        {},
        el("span", { class: "badge warn" }, "Switched off"),
        " Its users get the control behaviour.",
      ),
    variant.description && el("p", {}, variant.description),
    variant.prompt
      ? el("pre", { tabindex: 0, "aria-label": `Prompt of ${arm.key}` }, variant.prompt)
      : el("p", { class: "note" }, "No prompt is stored."),
    variant.variables &&
      el(
        "pre",
        { tabindex: 0, "aria-label": `Variables of ${arm.key}` },
        JSON.stringify(variant.variables, null, 2),
      ),
  );
}

function metricsTable(metrics) {
  return table({
    caption: "Metrics",
    captionHidden: true,
    narrow: "stacks",
    columns: ["Metric", "Role", "Measured", "Wanted", "Test"],
    rows: metrics.map((metric) => [
      el(
        "span",
        { class: "stacked" },
        el("span", {}, metric.name),
        metric.description && el("small", {}, metric.description),
      ),
      metric.role ?? "secondary",
      measured(metric),
      metric.desired === "decrease" ? "↓ lower" : "↑ higher",
      metric.method ?? metric.method_default,
    ]),
  });
}

const KINDS = {
  binary: () => "share of users",
  mean: () => "mean per user",
  ratio: () => "mean per call",
  quantile: ({ quantile }) => `${percent(quantile ?? 0.95)} quantile per call`,
  ordinal: () => "grades",
};

function measured(metric) {
  const { source } = metric;
  const from =
    source?.field ?? source?.business_metric ?? (source?.event === "judge" ? "judge score" : metric.category);
  return `${from}, ${KINDS[metric.kind](metric)}`;
}

function facts(experiment) {
  const entries = {
    Id: el("code", {}, experiment.id),
    Version: experiment.version,
    Created: instant(experiment.created_at),
    Changed: instant(experiment.updated_at),
    Salt: el("code", {}, experiment.salt),
    Buckets: experiment.bucket_count,
  };
  return el(
    "dl",
    { class: "facts" },
    Object.entries(entries).map(([term, value]) => el("div", {}, el("dt", {}, term), el("dd", {}, value))),
  );
}
