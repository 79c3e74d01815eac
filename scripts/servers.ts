// Starts the real servers that the suites use, prints their addresses, and keeps them running until Ctrl+C:
// `npm run servers`.
import { randomBytes } from "node:crypto";
import { startTestServers } from "./test-servers.ts";

const { env, stop } = await startTestServers();
const lines = (entries: Readonly<Record<string, string>>) =>
  Object.entries(entries).map(([name, value]) => `export ${name}='${value}'`);
const settings = Object.fromEntries(
  Object.entries(env)
    .filter(([name]) => !name.endsWith("_CLUSTER_URLS"))
    .map(([name, value]) => [name.replace("ASSAY_TEST_", "ASSAY_"), value]),
);
console.log(
  [
    "For suites on these servers:",
    ...lines(env),
    "",
    "For a service on these servers:",
    ...lines({ ...settings, ASSAY_MASTER_KEY: randomBytes(32).toString("base64") }),
    "",
    "Stop them with Ctrl+C. This deletes their data.",
  ].join("\n"),
);
// The servers' pipes keep this process alive.
const waiting = setInterval(() => {}, 60_000);
// Ctrl+C arrives several times: from the terminal, and from each launcher above. Only the first one counts.
let isStopping = false;
const end = () => {
  if (isStopping) return;
  isStopping = true;
  clearInterval(waiting);
  void stop().finally(() => process.exit(0));
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
