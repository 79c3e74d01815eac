import { Problem, request } from "./api.js";
import { armsOf } from "./arms.js";
import { announce, el, loadInto, panel, problemBanner, replace } from "./dom.js";
import { runView } from "./run-view.js";
import { setup } from "./setup.js";
import { livePanel, trafficPanel } from "./traffic.js";
import { stateOf } from "./words.js";

const POLL_MS = 1_000;
const POLLS = 15;

/** Shows one experiment: its verdict, results, traffic and setup. @param {HTMLElement} main @param {string} id */
export function experimentPage(main, id) {
  document.title = "Experiment · Assay";
  const path = `/v1/experiments/${encodeURIComponent(id)}`;
  replace(main, el("h1", { class: "hidden" }, "Experiment"));
  const body = el("div");
  main.append(body);
  loadInto(body, async () => {
    const experiment = await request("GET", path);
    main.querySelector("h1")?.remove();
    document.title = `${experiment.name} · Assay`;
    return layout(experiment, path);
  });
}

function layout(experiment, path) {
  const page = { experiment, path, arms: armsOf(experiment), badge: el("span"), results: el("div") };
  const live = panel("Live counts", () => livePanel(page));
  const traffic = panel("Traffic", () => trafficPanel(page));
  const fault = el("div");
  const showRun = (label) => loadInto(page.results, () => loadRun(page, label, showRun));
  showRun(new URLSearchParams(location.search).get("run"));
  const reloadCounts = () => Promise.all([live.reload(), traffic.reload()]);
  return [
    el("p", { class: "crumb" }, el("a", { href: "/" }, "← All experiments")),
    el(
      "div",
      { class: "head" },
      el("h1", {}, experiment.name),
      page.badge,
      el(
        "p",
        { class: "actions" },
        actionButton("Analyse now", fault, () => analyse(path, showRun)),
        actionButton("Send a test event", fault, () => sendTestEvent(page, reloadCounts)),
      ),
    ),
    experiment.hypothesis && el("p", { class: "hypothesis" }, experiment.hypothesis),
    fault,
    page.results,
    live.node,
    traffic.node,
    el(
      "section",
      { class: "panel", "aria-label": "Setup" },
      el("h2", {}, "Setup"),
      setup(experiment, page.arms),
    ),
  ];
}

/** A button that works once at a time and shows its failure in `fault`. */
function actionButton(text, fault, act) {
  const button = el("button", { type: "button" }, text);
  const run = async () => {
    button.disabled = true;
    replace(fault);
    try {
      await act();
    } catch (error) {
      replace(fault, problemBanner(error, run));
    }
    button.disabled = false;
  };
  button.addEventListener("click", run);
  return button;
}

async function analyse(path, showRun) {
  announce("Analysing…");
  const run = await request("POST", `${path}/analyze`);
  keepInAddress(run.computed_for);
  await showRun(run.computed_for);
  announce("Preliminary results are ready.");
}

async function sendTestEvent({ path, experiment }, reloadCounts) {
  const total = async () => (await request("GET", `${path}/live`)).exposures[experiment.control] ?? 0;
  const before = await total();
  await request("POST", `${path}/test-event`);
  announce("Test event accepted. Waiting for it to arrive…");
  for (let poll = 0; poll < POLLS; poll += 1) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if ((await total()) > before) {
      await reloadCounts();
      announce(`Received: one exposure of ${experiment.control}. Test users never count in a metric.`);
      return;
    }
  }
  announce("Accepted, but not seen in the counts yet. The queue may be busy: reload in a while.");
}

/** Reads a run; "not ready" is an expected answer and means that the experiment collects. */
async function loadRun(page, label, showRun) {
  const query = label ? `?day=${encodeURIComponent(label)}` : "";
  const run = await request("GET", `${page.path}/results${query}`).catch((error) => {
    if (error instanceof Problem && error.kind === "results-not-ready") return null;
    throw error;
  });
  const { word, tone } = stateOf(page.experiment, run);
  replace(page.badge, el("span", { class: `badge ${tone}` }, word));
  const pick = (chosen) => {
    keepInAddress(chosen);
    showRun(chosen);
  };
  return runView(run, page, pick);
}

function keepInAddress(label) {
  history.replaceState(null, "", `?run=${encodeURIComponent(label)}`);
}
