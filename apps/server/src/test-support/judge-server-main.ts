import { openJudgeServer } from "./judge-server.ts";

/** The judge as a process of its own, for tests that kill the service: arguments are latency in milliseconds and port. */
const [latencyMs = "0", port = "0"] = process.argv.slice(2);
const judge = await openJudgeServer(Number(port));
judge.always({ latencyMs: Number(latencyMs) });
console.log(JSON.stringify(judge.settings));
