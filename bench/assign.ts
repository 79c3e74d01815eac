import { startBare } from "./harness/bare.ts";
import { compareHttp, HTTP_EXPLANATION, HTTP_HEAD, httpRow } from "./harness/compare-http.ts";
import type { Target } from "./harness/load.ts";
import { type Service, startService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { printTable } from "./harness/table.ts";

const ROUNDS = sized(5, 1);
const REQUESTS = sized(50_000, 500);
const USERS = 100_000;
const AIM = 1.25;

/** Compares `POST /v1/assign` with a bare server that reads the body and returns the same answer. */
export async function benchAssign(): Promise<void> {
  const [service, bare] = [await startService(), await startBare()];
  const target = assignTarget(service);
  const reference = await bare.standIn(target);
  const ratios = await compareHttp({
    service: target,
    references: [reference],
    rounds: ROUNDS,
    requests: REQUESTS,
  });
  const names = { name: "POST /v1/assign", reference: "bare `node:http`", aim: AIM };
  printTable("assign", HTTP_EXPLANATION, [HTTP_HEAD, ...ratios.map((ratio) => httpRow(names, ratio))]);
  await Promise.all([service.stop(), bare.stop()]);
}

/** Asks the service for the variants of many users, one by one. */
export function assignTarget({ url, pid, key, experiment }: Service): Target {
  let user = 0;
  return {
    url: `${url}/v1/assign`,
    pid,
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: () => Buffer.from(JSON.stringify({ experiment_id: experiment, user_id: `user-${user++ % USERS}` })),
    status: 200,
  };
}
