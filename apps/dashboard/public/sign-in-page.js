import { Problem, request } from "./api.js";
import { el, problemBanner, replace } from "./dom.js";

/** Trades the ticket of the address for a session, or says how to get one. @param {HTMLElement} main */
export function signInPage(main) {
  document.title = "Sign in · Assay";
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  history.replaceState(null, "", location.pathname);
  // A link that is opened while this page is: the browser changes the hash and loads nothing.
  addEventListener("hashchange", () => signInPage(main), { once: true });
  if (ticket) redeem(main, ticket);
  else notSignedIn(main);
}

async function notSignedIn(main) {
  const title = "You are not signed in";
  const reason = "Your session is missing or has ended.";
  const { kind, issuer } = await request("GET", "/auth/identity").catch(() => ({ kind: "local" }));
  if (kind === "local") explain(main, title, reason);
  else
    show(
      main,
      title,
      el("p", {}, reason),
      el(
        "p",
        {},
        "This installation takes sessions of ",
        el("code", {}, issuer),
        ": sign in there, then come back.",
      ),
      el("p", {}, el("a", { href: "/" }, "I am signed in: to the experiments")),
    );
}

async function redeem(main, ticket) {
  show(main, "Signing you in…", el("p", { role: "status" }, "One moment."));
  try {
    await request("POST", "/auth/sign-in", { ticket });
    location.replace("/");
  } catch (error) {
    const isUsed = error instanceof Problem && [400, 401].includes(error.status);
    if (isUsed) explain(main, "This link does not work any more", error.detail);
    else
      show(
        main,
        "You are not signed in yet",
        problemBanner(error, () => redeem(main, ticket)),
      );
  }
}

function explain(main, title, reason) {
  show(
    main,
    title,
    el("p", {}, reason),
    el("h2", {}, "How to get in"),
    el(
      "ul",
      {},
      el(
        "li",
        {},
        "You run Assay yourself: ",
        el("code", {}, "npm start"),
        " prints the dashboard's address with a ticket. It works once, for an hour; a restart prints a new one.",
      ),
      el(
        "li",
        {},
        "Someone else runs it: ask an admin for an invitation link. It works once, for seven days.",
      ),
    ),
    el("p", {}, el("a", { href: "/" }, "I am signed in: to the experiments")),
  );
}

function show(main, title, ...children) {
  replace(main, el("div", { class: "narrow panel" }, el("h1", {}, title), ...children));
}
