const TABS = ["", "/compare", "/health", "/live", "/calls", "/setup", "/versions", "/audit"];
const OF_EXPERIMENT = [...TABS, "/change", "/decide", "/report"].map((path) => `/experiments/ID${path}`);
const JUDGE = "/judges/ID/resolves_issue";
const SHARED = [
  "calls",
  "judges",
  "rehearsals",
  "rehearsals/new",
  "catalogue",
  "usage",
  "keys",
  "audit",
  "security",
  "settings",
  "account",
];

/** The pages that an owner sees, for `ID`, the experiment of the recorded demo. */
export const PAGES = [
  ...["/", "/start", "/start/instrumented", "/experiments/new", "/nowhere"],
  ...OF_EXPERIMENT,
  ...[JUDGE, `${JUDGE}/label`],
  ...[...SHARED, "alerts", "feedback", "platform", "platform/inbox"].map((path) => `/${path}`),
];
