import { request } from "./api.js";
import { armLabel, armsOf, legend } from "./arms.js";
import { trafficChart } from "./charts.js";
import { details, el, table } from "./dom.js";
import { count, instant } from "./format.js";

/** Shows users and exposures as they stand. @param {any} page */
export async function livePanel({ path, experiment }) {
  const { users, exposures, as_of: asOf } = await request("GET", `${path}/live`);
  const arms = armsOf(experiment, Object.keys(exposures));
  return [
    el("p", { class: "note" }, "Uncorrected, not for decisions. As of ", instant(asOf), "."),
    table({
      caption: "Live counts per variant",
      captionHidden: true,
      columns: ["Variant", "Users", "Exposures"],
      numeric: [1, 2],
      rows: arms.map((arm) => [armLabel(arm), count(users[arm.key] ?? 0), count(exposures[arm.key] ?? 0)]),
    }),
  ];
}

/** Shows exposures per day and variant, with the numbers behind the chart. @param {any} page */
export async function trafficPanel({ path, experiment }) {
  const { days } = await request("GET", `${path}/traffic`);
  if (days.length === 0) {
    return el(
      "p",
      {},
      "No exposures yet. They appear seconds after a client assigns a user, or after “Send a test event”.",
    );
  }
  const arms = armsOf(
    experiment,
    days.flatMap(({ exposures }) => Object.keys(exposures)),
  );
  return [
    el("p", { class: "note" }, "Exposures per UTC day, stacked by variant."),
    legend(arms, experiment.control),
    trafficChart(days, arms),
    details(
      "Numbers per day",
      table({
        caption: "Exposures (users) per day and variant",
        columns: ["Day (UTC)", ...arms.map(({ key }) => key)],
        numeric: arms.map((_, index) => index + 1),
        rows: days.map(({ day, exposures, users }) => [
          day,
          ...arms.map(({ key }) => `${count(exposures[key] ?? 0)} (${count(users[key] ?? 0)})`),
        ]),
      }),
    ),
  ];
}
