import { announce, el } from "./dom.js";

/**
 * Shows a secret with a copy button. @param {string} name what it is, as "Your new secret key"
 * @param {string} value
 */
export function shownOnce(name, value) {
  const field = el("input", { readonly: true, value, "aria-label": name, spellcheck: "false" });
  const copy = el("button", { type: "button" }, "Copy");
  field.addEventListener("focus", () => field.select());
  copy.addEventListener("click", () => copyFrom(field));
  return el(
    "div",
    { class: "fresh" },
    el(
      "p",
      {},
      el("strong", {}, `${name}. `),
      "Copy it now: it is shown here once and is gone when you leave this page.",
    ),
    el("p", { class: "actions" }, field, copy),
  );
}

/** The clipboard exists on secure origins only; elsewhere the selected text is left to the keyboard. */
async function copyFrom(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    announce("Copied.");
  } catch {
    announce("Selected: copy it with Ctrl+C or ⌘C.");
  }
}
