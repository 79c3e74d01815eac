import { request } from "./api.js";
import { armLabel, armsOf } from "./arms.js";
import { el, table } from "./dom.js";
import { count, countedBy, instant, isManual, number, percent, pValue, runName } from "./format.js";
import { distributions, resultsTable } from "./results-table.js";
import { headline } from "./words.js";

/**
 * Shows what a run says: one sentence first, then the numbers, the split and the remarks.
 * @param {any} run null: there is none yet
 * @param {any} page the experiment, its arms and its path
 * @param {(label: string) => void} pick shows another run
 */
export async function runView(run, page, pick) {
  const { experiment, path } = page;
  const isEmpty = run === null || (Object.keys(run.results).length === 0 && run.srm.status === "passed");
  const isCollecting = isEmpty && experiment.status === "running";
  const live = isCollecting ? await request("GET", `${path}/live`) : null;
  return [
    el("p", { class: "headline" }, headline(experiment, run)),
    run?.preliminary && preliminaryNote(),
    run && picker(run, pick),
    live && collecting(live, page),
    run?.srm.status === "halted" && withheld(run, page),
    run && Object.keys(run.results).length > 0 && comparisons(run, page),
    run && health(run, page),
  ];
}

function section(title, ...children) {
  return el("section", { class: "panel", "aria-label": title }, el("h2", {}, title), ...children);
}

function preliminaryNote() {
  return el("p", {}, el("span", { class: "badge warn" }, "Preliminary: does not replace tonight's run"));
}

function picker(run, pick) {
  const labels = run.available_days.includes(run.computed_for)
    ? run.available_days
    : [run.computed_for, ...run.available_days];
  const select = el(
    "select",
    {},
    labels.map((label) =>
      el(
        "option",
        { value: label, selected: label === run.computed_for },
        isManual(label) ? `${runName(label)} (preliminary)` : runName(label),
      ),
    ),
  );
  select.addEventListener("change", () => pick(select.value));
  const { from, to } = run.window;
  return el(
    "p",
    { class: "picker" },
    el("label", {}, "Run ", select),
    el(
      "small",
      {},
      "Computed ",
      instant(run.computed_at),
      ...(from ? [" over ", instant(from), " to ", instant(to)] : [" before any exposure"]),
    ),
  );
}

function comparisons(run, { experiment }) {
  const named = Object.values(run.results).map(({ treatment }) => treatment);
  const arms = armsOf(experiment, named);
  return section("Results", resultsTable(run, experiment, arms), distributions(run, experiment, arms));
}

function collecting({ distributions: values }, { experiment, arms }) {
  const tonight = "The nightly run starts at 00:15 UTC, unless whoever runs Assay set another time.";
  return section(
    "What is missing",
    el(
      "p",
      {},
      `A metric appears once every variant has 200 evaluated events from at least 20 users. ${tonight}`,
    ),
    el("p", {}, "Want an early look? “Analyse now” makes a preliminary run that does not replace tonight's."),
    experiment.metrics.length > 0 &&
      table({
        caption: "Measured so far (live)",
        narrow: "stacks",
        columns: ["Metric", ...arms.map(({ key }) => key)],
        numeric: arms.map((_, index) => index + 1),
        rows: experiment.metrics.map((metric) => [
          metric.name,
          ...arms.map(({ key }) => measuredSoFar(metric, values[metric.name]?.[key])),
        ]),
      }),
  );
}

/** The live view counts one value per call, or one per user for metrics of users. */
function measuredSoFar({ kind }, distribution) {
  const total = (distribution?.counts ?? []).reduce((sum, value) => sum + value, 0);
  return `${count(total)} ${countedBy(kind)}`;
}

function withheld(run, { experiment }) {
  const { p_value: p } = run.srm;
  return el(
    "section",
    { class: "panel warning", "aria-label": "Results withheld" },
    el("h2", {}, "Why there are no numbers"),
    el(
      "p",
      {},
      `${splitInWords(run)} (p = ${number(p)}). A split this far off almost never happens by chance, so any difference could come from who was counted, not from the variant.`,
    ),
    splitTable(run, experiment),
    el(
      "p",
      {},
      "Usual causes: one variant crashes or answers so slowly that its exposures are lost; a cache or redirect serves one variant only; bots reach one variant; the user id differs between assigning and tracking.",
    ),
    el(
      "p",
      {},
      "What to do: find the cause, mend it, and start a new experiment with a new salt. Waiting does not mend a broken split.",
    ),
  );
}

function splitInWords({ srm: { observed, expected } }) {
  const arms = Object.keys(expected);
  const total = Object.values(observed).reduce((sum, value) => sum + value, 0) || 1;
  const join = (share) => arms.map((arm) => number(share(arm) * 100)).join(" / ");
  return `For ${arms.join(" / ")} we expected ${join((arm) => expected[arm])} % and saw ${join((arm) => (observed[arm] ?? 0) / total)} %`;
}

function splitTable({ srm: { observed, expected } }, experiment) {
  const arms = armsOf(experiment, Object.keys(observed)).filter(({ key }) => key in observed);
  const total = Object.values(observed).reduce((sum, value) => sum + value, 0);
  return table({
    caption: "Traffic split, by users",
    columns: ["Variant", "Expected", "Observed"],
    numeric: [1, 2],
    rows: arms.map((arm) => {
      const share = expected[arm.key] ?? 0;
      const users = observed[arm.key];
      return [
        armLabel(arm),
        `${count(share * total)} (${percent(share)})`,
        `${count(users)} (${percent(total === 0 ? 0 : users / total)})`,
      ];
    }),
  });
}

const SEVERITY = {
  info: { word: "Note", tone: "info" },
  warning: { word: "Warning", tone: "warn" },
  critical: { word: "Critical", tone: "bad" },
};
const BY_WEIGHT = ["critical", "warning", "info"];

function health(run, { experiment }) {
  const entries = run.health.toSorted(
    (a, b) => BY_WEIGHT.indexOf(a.severity) - BY_WEIGHT.indexOf(b.severity),
  );
  const hasUsers = Object.values(run.srm.observed).some((users) => users > 0);
  const isSplitFine = hasUsers && run.srm.status === "passed";
  return section(
    "Health of this run",
    el(
      "ul",
      { class: "health" },
      isSplitFine &&
        el(
          "li",
          {},
          el("span", { class: "badge good" }, "Fine"),
          el(
            "span",
            {},
            `Traffic split as expected (p = ${pValue(run.srm.p_value)}; withheld below ${number(run.srm.threshold)}).`,
          ),
        ),
      entries.map(({ code, severity, detail }) =>
        el(
          "li",
          {},
          el("span", { class: `badge ${SEVERITY[severity].tone}` }, SEVERITY[severity].word),
          el("span", {}, detail, " ", el("small", {}, code)),
        ),
      ),
    ),
    isSplitFine && splitTable(run, experiment),
  );
}
