import { request } from "./api.js";
import { announce, el, problemBanner, replace } from "./dom.js";
import { instant } from "./format.js";
import { shownOnce } from "./shown-once.js";

/** Lets admins make a one-time sign-in link for a further member; others learn whom to ask. */
export async function invitePanel() {
  const { role } = await request("GET", "/v1/whoami");
  if (role === "member") return el("p", { class: "note" }, "An admin can invite further members.");
  const email = el("input", { type: "email", required: true, maxlength: 254, autocomplete: "off" });
  const roles = el(
    "select",
    {},
    el("option", { value: "member" }, "member"),
    el("option", { value: "admin" }, "admin"),
  );
  const outcome = el("div");
  const form = el(
    "form",
    { class: "actions fields" },
    el("label", {}, "E-mail ", email),
    el("label", {}, "Role ", roles),
    el("button", {}, "Make an invitation link"),
  );
  const invite = async () => {
    try {
      const made = await request("POST", "/v1/invitations", { email: email.value, role: roles.value });
      replace(outcome, invitation(made));
      announce("Invitation link made.");
    } catch (error) {
      replace(outcome, problemBanner(error, invite));
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    invite();
  });
  const consequence =
    "Whoever opens the link first is signed in as this person. Admins can also make keys and invite.";
  return [el("p", { class: "note" }, consequence), form, outcome];
}

function invitation({ email, role, url, expires_at: expiresAt }) {
  return [
    shownOnce(`Invitation of ${email} as ${role}`, url),
    el(
      "p",
      { class: "note" },
      "Assay sends no mail: pass the link on yourself. It works once, until ",
      instant(expiresAt),
      ".",
    ),
  ];
}
