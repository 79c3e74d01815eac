import { armLabel, legend } from "./arms.js";
import { axisScale, histogram, intervalBar, sharedAxis } from "./charts.js";
import { details, el, table } from "./dom.js";
import { count, countedBy, interval, number, percent, pValue, signed, unitOf } from "./format.js";
import { byRole, sensitivity, VERDICTS } from "./words.js";

/**
 * Lists every comparison of a run: value, effect, interval, corrected p, users and verdict.
 * @param {any} run @param {any} experiment @param {import("./arms.js").Arm[]} arms
 */
export function resultsTable(run, experiment, arms) {
  const rows = byRole(Object.values(run.results));
  const axis = sharedAxis(rows);
  const bars = el(
    "span",
    { "data-name": "Relative" },
    "Relative effect (95\u00a0% interval)",
    axisScale(axis),
  );
  return [
    table({
      caption: "Effect of each variant against control",
      captionHidden: true,
      narrow: "stacks",
      columns: ["Metric", "Variant", "Value", "Effect", bars, "Corrected p", "Users", "Verdict"],
      rows: rows.map((row) => resultRow(row, { axis, arms, experiment })),
    }),
    el("p", { class: "note" }, footnote(rows, { run, axis })),
  ];
}

function resultRow(row, { axis, arms, experiment }) {
  const metric = experiment.metrics.find(({ name }) => name === row.metric);
  const unit = unitOf(metric);
  const arm = arms.find(({ key }) => key === row.treatment);
  return [
    metricCell(row, metric),
    armLabel(arm),
    fixed(exact(unit.value, row.treatment_value), [`${row.control}: `, exact(unit.value, row.control_value)]),
    fixed(
      signed(row.effect, unit.difference),
      interval(row.ci_low, row.ci_high, unit.difference) ?? "no interval",
    ),
    relativeCell(row, axis, arm),
    pCell(row),
    usersCell(row),
    verdictCell(row, experiment),
  ];
}

function metricCell({ metric, role, desired, cuped }, definition) {
  const wish = desired === "decrease" ? "↓ lower is better" : "↑ higher is better";
  const adjusted = cuped === null ? "" : " · CUPED-adjusted";
  return stacked(
    el("span", { title: definition?.description ?? "" }, metric),
    `${role} · ${wish}${adjusted}`,
  );
}

function pCell({ p_value: raw, p_value_fdr: corrected, p_value_seq: anyTime, p_floor: isFloor }) {
  const text = pValue(corrected);
  const bound = isFloor && !text.startsWith("<") ? `≤ ${text}` : text;
  const title = `Raw p ${isFloor ? "at most " : ""}${number(raw)}: not used for the decision`;
  return el("span", { title }, fixed(bound, anyTime === null ? null : `any time: ${pValue(anyTime)}`));
}

function relativeCell(row, axis, arm) {
  if (row.relative_effect === null) return el("small", {}, "None, and no bar: control is too close to 0.");
  const bounds = interval(row.relative_ci_low, row.relative_ci_high, percent) ?? "no interval";
  const text = el("span", {}, signed(row.relative_effect, percent), " ", el("small", {}, bounds));
  return el("span", { class: "relative" }, text, intervalBar(row, axis, arm));
}

function usersCell({ n_per_arm: users, control, treatment, events_per_arm: events }) {
  const title = `Evaluated events: ${treatment} ${count(events[treatment])}, ${control} ${count(events[control])}`;
  return el("span", { title }, fixed(count(users[treatment]), `${control}: ${count(users[control])}`));
}

function verdictCell(row, experiment) {
  const { word, icon, tone } = VERDICTS[row.verdict];
  const limit = row.verdict === "inconclusive" ? sensitivity(row, experiment) : null;
  return stacked(
    el("span", { class: `verdict ${tone}` }, el("span", { "aria-hidden": "true" }, icon), word),
    limit,
  );
}

const stacked = (main, below) =>
  el("span", { class: "stacked" }, el("span", {}, main), below && el("small", {}, below));

/** The same on two lines that do not break on wide screens. */
const fixed = (main, below) => el("span", { class: "fixed" }, stacked(main, below));

const exact = (write, value) => el("span", { title: String(value) }, write(value));

function footnote(rows, { run, axis }) {
  const cap = Math.max(...rows.map((row) => row.sample_cap_used));
  const permutations = Math.max(...rows.map((row) => row.permutations_used));
  const tests = [...new Set(rows.map(({ test }) => test))].join(", ");
  return [
    `Corrected over ${rows.length} ${rows.length === 1 ? "comparison" : "comparisons"} (Benjamini-Hochberg); decides at p < 0.05.`,
    `Tests: ${tests}.`,
    cap === 0 ? "Every user was used." : `At most ${count(cap)} users per arm were used.`,
    permutations === 0 ? "" : `${count(permutations)} permutations.`,
    rows.some((row) => row.retention_truncated) ? "Older raw events had expired and are missing." : "",
    "Any-time p holds however often one looks; the corrected one is for one look at the planned end.",
    rows.some((row) => row.cuped !== null)
      ? "CUPED: adjusted for what users did before their first exposure."
      : "",
    rows.some((row) => row.p_floor) ? "≤: so many permutations cannot show a smaller p." : "",
    `Experiment version ${run.version}.`,
    `Bars run from −${percent(axis)} to +${percent(axis)} with a line at zero; an arrow: the interval goes further.`,
    "Filled marker: decided; hollow: not clear yet.",
  ].join(" ");
}

/**
 * Shows how a run's values are spread, per metric: overlaid histograms with the counts behind them.
 * @param {any} run @param {any} experiment @param {import("./arms.js").Arm[]} arms
 */
export function distributions(run, experiment, arms) {
  const metrics = Map.groupBy(byRole(Object.values(run.results)), ({ metric }) => metric);
  const charts = [...metrics].map(([metric, rows]) =>
    distributionOf(metric, { byArm: mergeArms(rows), arms, experiment }),
  );
  return details("Distributions per variant", ...charts);
}

/** Rows of one metric share their bins; a row on other bins is left to its own numbers. */
function mergeArms(rows) {
  const edges = JSON.stringify(Object.values(rows[0].distribution)[0]?.bin_edges);
  const entries = rows.flatMap(({ distribution }) => Object.entries(distribution));
  return Object.fromEntries(entries.filter(([, { bin_edges }]) => JSON.stringify(bin_edges) === edges));
}

function distributionOf(metric, { byArm, arms, experiment }) {
  const shown = arms.filter(({ key }) => byArm[key]);
  if (shown.length === 0 || byArm[shown[0].key].counts.length === 0) {
    return el("figure", {}, el("figcaption", {}, metric), el("p", { class: "note" }, "No values to spread."));
  }
  const definition = experiment.metrics.find(({ name }) => name === metric);
  const per = countedBy(definition?.kind);
  const { value } = unitOf(definition);
  const caption = `${metric}: share of ${per} by value`;
  return el(
    "figure",
    {},
    el("figcaption", {}, caption),
    legend(shown, experiment.control),
    histogram(byArm, shown, `${caption}; the numbers are in the table below.`),
    details(
      `Numbers of ${metric}`,
      table({
        caption: `${metric}: number of ${per} by value`,
        columns: ["From – to", ...shown.map(({ key }) => key)],
        numeric: shown.map((_, index) => index + 1),
        rows: binRows(byArm, shown, value),
      }),
    ),
  );
}

function binRows(byArm, arms, write) {
  const { bin_edges: edges } = byArm[arms[0].key];
  return edges
    .slice(0, -1)
    .map((low, bin) => [
      `${write(low)} – ${write(edges[bin + 1])}`,
      ...arms.map(({ key }) => count(byArm[key].counts[bin])),
    ]);
}
