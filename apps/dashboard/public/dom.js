import { Problem } from "./api.js";

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Makes an HTML element; children become text nodes, never markup.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] false, null and undefined are left out
 * @param {...(Child | Child[])} children
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Makes an SVG element.
 * @param {string} tag
 * @param {Record<string, string | number | null | undefined>} [attributes]
 * @param {...(Child | Child[])} children
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...present(children));
  return node;
}

function present(children) {
  return children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/**
 * Replaces what a node holds.
 * @param {Element} node
 * @param {...(Child | Child[])} children
 */
export function replace(node, ...children) {
  node.replaceChildren(...present(children));
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const node = document.getElementById(id);
  if (node === null) throw new Error(`index.html has no #${id}`);
  return node;
}

/** Tells assistive technology, and shows for a moment, what just happened. @param {string} text */
export function announce(text) {
  const status = byId("status");
  status.textContent = text;
  clearTimeout(Number(status.dataset.timer));
  status.dataset.timer = String(setTimeout(() => replace(status), 8_000));
}

/**
 * Fills a region with what `load` brings: grey bars meanwhile, a banner with Retry when it fails.
 * @param {HTMLElement} region
 * @param {() => Promise<Child | Child[]>} load
 */
export async function loadInto(region, load) {
  region.setAttribute("aria-busy", "true");
  replace(region, skeleton());
  try {
    replace(region, await load());
  } catch (error) {
    replace(
      region,
      problemBanner(error, () => loadInto(region, load)),
    );
  }
  region.removeAttribute("aria-busy");
}

function skeleton() {
  const bars = ["w60", "w90", "w75"].map((width) => el("span", { class: `bone ${width}` }));
  return el("div", { class: "skeleton" }, el("span", { class: "hidden" }, "Loading…"), bars);
}

/**
 * Shows a problem's title and detail, calmly. Errors of ours are also left to the console.
 * @param {unknown} error
 * @param {() => void} retry
 */
export function problemBanner(error, retry) {
  if (!(error instanceof Problem)) console.error(error);
  const { title, detail, instance } =
    error instanceof Problem
      ? error
      : { title: "This page has a fault", detail: "The browser's console says more.", instance: "" };
  const button = el("button", { type: "button" }, "Retry");
  button.addEventListener("click", retry);
  return el(
    "div",
    { class: "banner", role: "alert" },
    el("div", {}, el("strong", {}, title), el("p", {}, detail), instance && el("small", {}, instance)),
    button,
  );
}

/**
 * @typedef {object} TableSpec
 * @property {string} caption
 * @property {boolean} [captionHidden]
 * @property {Child[]} columns
 * @property {(Child | Child[])[][]} rows the first cell heads its row
 * @property {"stacks" | "scrolls"} [narrow] what a table does on a narrow screen
 * @property {number[]} [numeric] indexes of columns aligned to the right
 */

/** Makes a data table with a caption and scopes. @param {TableSpec} spec */
export function table({ caption, captionHidden = false, columns, rows, narrow = "scrolls", numeric = [] }) {
  const side = (index) => (numeric.includes(index) ? "num" : null);
  const head = columns.map((column, index) => el("th", { scope: "col", class: side(index) }, column));
  const body = rows.map((cells) =>
    el(
      "tr",
      {},
      cells.map((cell, index) =>
        el(
          index === 0 ? "th" : "td",
          {
            scope: index === 0 ? "row" : null,
            class: side(index),
            "data-label": labelOf(columns[index]),
          },
          cell,
        ),
      ),
    ),
  );
  const node = el(
    "table",
    { class: narrow },
    el("caption", { class: captionHidden ? "hidden" : null }, caption),
    el("thead", {}, el("tr", {}, head)),
    el("tbody", {}, body),
  );
  return el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption }, node);
}

function labelOf(column) {
  return column instanceof Element ? (column.getAttribute("data-name") ?? column.textContent) : column;
}

/**
 * A titled section of a page whose content loads by itself.
 * @param {string} title
 * @param {() => Promise<Child | Child[]>} load
 */
export function panel(title, load) {
  const body = el("div");
  const reload = () => loadInto(body, load);
  reload();
  return { node: el("section", { class: "panel", "aria-label": title }, el("h2", {}, title), body), reload };
}

/** A control that opens what stands behind a chart. @param {string} summary @param {...Child} children */
export function details(summary, ...children) {
  return el("details", {}, el("summary", {}, summary), ...children);
}
