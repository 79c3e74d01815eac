import { request } from "./api.js";
import { confirmDialog } from "./confirm-dialog.js";
import { announce, el, replace, table } from "./dom.js";
import { instant } from "./format.js";
import { shownOnce } from "./shown-once.js";

const USE = {
  publishable: "For client libraries: reads the config, assigns, sends events. May be seen by users.",
  secret: "For servers only: may also import events. Keep it out of browsers and apps.",
};

/** Lists the active keys and lets admins make new ones. */
export async function keysPanel() {
  const [{ role }, keys] = await Promise.all([request("GET", "/v1/whoami"), request("GET", "/v1/keys")]);
  const region = el("div");
  draw(region, { keys, canRotate: role !== "member" });
  return region;
}

function draw(region, { keys, canRotate, fresh = null }) {
  const refresh = async (made) => {
    draw(region, { keys: await request("GET", "/v1/keys"), canRotate, fresh: made });
    region.querySelector("input")?.focus();
  };
  replace(
    region,
    fresh && shownOnce(`Your new ${fresh.scope} key`, fresh.key),
    table({
      caption: "Active keys",
      captionHidden: true,
      narrow: "stacks",
      columns: ["Key", "Made", "Change"],
      rows: Object.keys(USE).map((scope) => {
        const active = keys.find((key) => key.scope === scope);
        return [
          el("span", { class: "stacked" }, el("span", {}, scope), el("small", {}, USE[scope])),
          active ? instant(active.created_at) : el("small", {}, "None yet"),
          canRotate
            ? rotateButton(scope, { isReplacing: Boolean(active), refresh })
            : el("small", {}, "An admin can make keys."),
        ];
      }),
    }),
  );
}

function rotateButton(scope, { isReplacing, refresh }) {
  const button = el("button", { type: "button" }, `New ${scope} key`);
  button.addEventListener("click", () => confirmRotation(scope, { isReplacing, refresh }));
  return button;
}

function confirmRotation(scope, { isReplacing, refresh }) {
  confirmDialog({
    title: `Make a new ${scope} key?`,
    consequence: isReplacing
      ? `The current ${scope} key stops working at once: whatever uses it gets 401 until it has the new key.`
      : "Whoever has the key can use it until a new one is made.",
    verb: isReplacing ? "Replace the key" : "Make the key",
    act: async () => {
      const made = await request("POST", "/v1/keys", { scope });
      await refresh(made);
      announce(`New ${scope} key made.`);
    },
  });
}
