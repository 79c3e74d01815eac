import { el, svg } from "./dom.js";

const COLOURS = 6;
const SHAPES = 5;

/**
 * @typedef {object} Arm
 * @property {string} key
 * @property {string} colour a class that sets `color`: control is grey, a treatment keeps its colour on every page
 * @property {number} shape a marker's form, so that nothing is told by colour alone
 */

/**
 * Gives every variant of an experiment its colour and shape, by its place in the experiment.
 * @param {{ variants?: { key: string }[], control?: string }} experiment
 * @param {string[]} [others] arms seen in data that the experiment does not name any more
 * @returns {Arm[]} control first
 */
export function armsOf({ variants = [], control }, others = []) {
  const treatments = [...new Set([...variants.map(({ key }) => key), ...others])].filter(
    (key) => key !== control,
  );
  return [
    { key: control, colour: "arm-control", shape: 0 },
    ...treatments.map((key, index) => ({
      key,
      colour: `arm-${index % COLOURS}`,
      shape: 1 + (index % (SHAPES - 1)),
    })),
  ];
}

/** Draws an arm's marker round a point. @param {Arm} arm @param {number} x @param {number} y @param {boolean} [isHollow] */
export function marker({ shape, colour }, x, y, isHollow = false) {
  const look = { class: `${colour} mark${isHollow ? " hollow" : ""}`, transform: `translate(${x} ${y})` };
  const paths = [
    null,
    "M-5 -5H5V5H-5Z",
    "M0 -6L6 5H-6Z",
    "M0 -6.5L6.5 0L0 6.5L-6.5 0Z",
    "M-2 -6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
  ];
  return shape === 0 ? svg("circle", { ...look, r: 5 }) : svg("path", { ...look, d: paths[shape] });
}

/** Names an arm with its marker. @param {Arm} arm @param {string} [note] */
export function armLabel(arm, note = "") {
  const swatch = svg(
    "svg",
    { viewBox: "-8 -8 16 16", class: "swatch", "aria-hidden": "true" },
    marker(arm, 0, 0),
  );
  return el("span", { class: "arm" }, swatch, arm.key, note && el("small", {}, note));
}

/** Lists the arms as a chart's legend. @param {Arm[]} arms @param {string} control */
export function legend(arms, control) {
  return el(
    "p",
    { class: "legend" },
    arms.map((arm) => armLabel(arm, controlNote(arm, control))),
  );
}

/** Marks the control arm, unless its name says so already. @param {Arm} arm @param {string} control */
export function controlNote({ key }, control) {
  return key === control && key !== "control" ? " control" : "";
}
