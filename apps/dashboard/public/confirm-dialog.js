import { el, problemBanner, replace } from "./dom.js";

/**
 * Asks before something that cannot be undone; the dialog stays open with the problem when it fails.
 * @param {object} question
 * @param {string} question.title
 * @param {string} question.consequence
 * @param {string} question.verb what the button says
 * @param {() => Promise<void>} question.act
 */
export function confirmDialog({ title, consequence, verb, act }) {
  const yes = el("button", { type: "button", class: "primary" }, verb);
  const cancel = el("button", { type: "button" }, "Cancel");
  const fault = el("div");
  const dialog = el(
    "dialog",
    { "aria-label": title },
    el("h2", {}, title),
    el("p", {}, consequence),
    fault,
    el("p", { class: "actions" }, cancel, yes),
  );
  const attempt = async () => {
    yes.disabled = true;
    try {
      await act();
      dialog.close();
    } catch (error) {
      replace(fault, problemBanner(error, attempt));
    }
    yes.disabled = false;
  };
  yes.addEventListener("click", attempt);
  cancel.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  cancel.focus();
}
