import { request } from "./api.js";
import { confirmDialog } from "./confirm-dialog.js";
import { announce, el, panel, problemBanner, replace, table } from "./dom.js";
import { instant } from "./format.js";
import { shownOnce } from "./shown-once.js";

const ROLES = ["member", "admin", "owner"];
const PAGE = 200;

/** Shows who is in the org, and lets admins invite, change roles and remove. @param {HTMLElement} main */
export function membersPage(main) {
  document.title = "Members · Assay";
  const members = panel("In this organisation", () => loadMembers(() => members.reload()));
  const invitations = panel("Invitations", () => loadInvitations(() => invitations.reload()));
  replace(main, el("h1", {}, "Members"), members.node, invitations.node);
}

/** Only the local identity changes members here. */
const whereManaged = () => Promise.all([request("GET", "/v1/whoami"), request("GET", "/auth/identity")]);

async function loadMembers(reload) {
  const [[me, identity], { items, next_cursor: more }] = await Promise.all([
    whereManaged(),
    request("GET", `/v1/members?limit=${PAGE}`),
  ]);
  const canChange = identity.kind === "local" && me.role !== "member";
  return [
    identity.kind !== "local" &&
      el("p", { class: "note" }, `Members and roles come from the identity provider, ${identity.issuer}.`),
    table({
      caption: "Members, newest first",
      captionHidden: true,
      narrow: "stacks",
      columns: ["Person", "Role", "Here since", "Change"],
      rows: items.map((member) => [
        person(member),
        canChange && mayChange(me, member) ? roleSelect(member, { me, reload }) : member.role,
        member.joined_at ? instant(member.joined_at) : el("small", {}, "Has not signed in yet"),
        canChange && mayChange(me, member) ? memberActions(member, reload) : el("small", {}, "–"),
      ]),
    }),
    more && el("p", { class: "note" }, `The newest ${PAGE} members are shown; the API lists all of them.`),
  ];
}

function person({ name, email }) {
  if (name === email) return email;
  return el("span", { class: "stacked" }, name, el("small", {}, email));
}

const mayChange = (me, member) => ROLES.indexOf(me.role) >= ROLES.indexOf(member.role);

/** Roles that the caller may give: nobody gives more than they have. */
const givableBy = (me) => ROLES.slice(0, ROLES.indexOf(me.role) + 1);

function roleSelect(member, { me, reload }) {
  const select = el(
    "select",
    { "aria-label": `Role of ${member.email}` },
    givableBy(me).map((role) => el("option", { value: role, selected: role === member.role }, role)),
  );
  select.addEventListener("change", () => {
    const role = select.value;
    select.value = member.role;
    confirmDialog({
      title: `Give ${member.email} the role ${role}?`,
      consequence: "It is in force with their next request.",
      verb: `Make them ${role}`,
      act: async () => {
        await request("PUT", `/v1/members/${member.user_id}`, { role });
        announce(`${member.email} has the role ${role} now.`);
        reload();
      },
    });
  });
  return select;
}

/** What an admin can do for or to a member, with the link that the first makes below. */
function memberActions(member, reload) {
  const outcome = el("div");
  return el(
    "div",
    {},
    el("p", { class: "actions" }, linkButton(member, outcome), removeButton(member, reload)),
    outcome,
  );
}

function linkButton({ email }, outcome) {
  const button = el(
    "button",
    { type: "button", "aria-label": `New sign-in link for ${email}` },
    "Sign-in link",
  );
  const make = async () => {
    try {
      replace(outcome, linkOnce(await request("POST", "/v1/invitations", { email })));
      announce("Sign-in link made.");
    } catch (error) {
      replace(outcome, problemBanner(error, make));
    }
  };
  button.addEventListener("click", make);
  return button;
}

function removeButton(member, reload) {
  const button = el("button", { type: "button", "aria-label": `Remove ${member.email}` }, "Remove");
  button.addEventListener("click", () =>
    confirmDialog({
      title: `Remove ${member.email}?`,
      consequence:
        "Their sessions end at once. What they made stays, and so do their entries in the audit trail. They can come back by a new invitation only.",
      verb: "Remove",
      act: async () => {
        await request("DELETE", `/v1/members/${member.user_id}`);
        announce(`${member.email} was removed.`);
        reload();
      },
    }),
  );
  return button;
}

async function loadInvitations(reload) {
  const [me, identity] = await whereManaged();
  if (identity.kind !== "local")
    return el("p", { class: "note" }, "People are invited at the identity provider.");
  if (me.role === "member") return el("p", { class: "note" }, "An admin can invite further members.");
  const { items } = await request("GET", `/v1/invitations?limit=${PAGE}`);
  return [inviteForm(me, reload), pendingTable(items, reload)];
}

function inviteForm(me, reload) {
  const email = el("input", { type: "email", required: true, maxlength: 254, autocomplete: "off" });
  const roles = el(
    "select",
    {},
    givableBy(me).map((role) => el("option", { value: role }, role)),
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
      replace(outcome, linkOnce(made), doneButton(reload));
      announce("Invitation link made.");
    } catch (error) {
      replace(outcome, problemBanner(error, invite));
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    invite();
  });
  const consequence = "Whoever opens the link first is signed in as this person.";
  return el("div", {}, el("p", { class: "note" }, consequence), form, outcome);
}

function linkOnce({ email, role, url, expires_at: expiresAt }) {
  return el(
    "div",
    {},
    shownOnce(`Sign-in link of ${email}, ${role}`, url),
    el(
      "p",
      { class: "note" },
      "Assay sends no mail: pass the link on yourself. It works once, until ",
      instant(expiresAt),
      ".",
    ),
  );
}

function doneButton(reload) {
  const done = el("button", { type: "button" }, "I have passed it on");
  done.addEventListener("click", reload);
  return el("p", { class: "actions" }, done);
}

function pendingTable(invitations, reload) {
  if (invitations.length === 0) return el("p", { class: "note pending" }, "No invitation is waiting.");
  const waiting = table({
    caption: "Invitations that wait, newest first",
    narrow: "stacks",
    columns: ["Person", "Role", "Works until", "Change"],
    rows: invitations.map((pending) => [
      pending.email,
      pending.role,
      instant(pending.expires_at),
      revokeButton(pending, reload),
    ]),
  });
  return el("div", { class: "pending" }, waiting);
}

function revokeButton({ id, email }, reload) {
  const button = el(
    "button",
    { type: "button", "aria-label": `Withdraw the invitation of ${email}` },
    "Withdraw",
  );
  button.addEventListener("click", () =>
    confirmDialog({
      title: `Withdraw the invitation of ${email}?`,
      consequence: "The link stops working at once.",
      verb: "Withdraw",
      act: async () => {
        await request("DELETE", `/v1/invitations/${id}`);
        announce("Invitation withdrawn.");
        reload();
      },
    }),
  );
  return button;
}
