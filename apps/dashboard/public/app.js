import { Problem, request } from "./api.js";
import { byId, el, replace } from "./dom.js";
import { experimentPage } from "./experiment-page.js";
import { homePage } from "./home-page.js";
import { membersPage } from "./members-page.js";
import { signInPage } from "./sign-in-page.js";

const main = byId("main");
const experiment = /^\/experiments\/([^/]+)$/.exec(location.pathname);

if (location.pathname === "/sign-in") {
  signInPage(main);
} else {
  showAccount();
  if (experiment) experimentPage(main, decodeURIComponent(experiment[1]));
  else if (location.pathname === "/members") membersPage(main);
  else homePage(main);
}

/** Names who is signed in. A failure stays silent here: the page's own panels show it. */
async function showAccount() {
  try {
    const { name, email, role } = await request("GET", "/v1/whoami");
    const signOut = el("button", { type: "button", class: "quiet" }, "Sign out");
    const failed = el("span", { role: "alert" });
    signOut.addEventListener("click", async () => {
      try {
        await request("POST", "/auth/sign-out");
        location.assign("/sign-in");
      } catch (error) {
        failed.textContent = error instanceof Problem ? error.title : "Sign out failed.";
      }
    });
    replace(
      byId("account"),
      el("span", { class: "who", title: email }, name || email, el("span", { class: "tag" }, role)),
      signOut,
      failed,
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}
