import { type Bare, startBare } from "./harness/bare.ts";
import { compareHttp, HTTP_EXPLANATION, HTTP_HEAD, httpRow } from "./harness/compare-http.ts";
import type { Target } from "./harness/load.ts";
import { type Service, startService } from "./harness/service.ts";
import { sized } from "./harness/sized.ts";
import { printTable } from "./harness/table.ts";

const ROUNDS = sized(5, 1);
const REQUESTS = sized(50_000, 500);
const AIMS = { 200: 1.5, 304: 1.25 };

/**
 * Compares `GET /v1/config`, full (200) and unchanged (304), with a bare server that returns the same bytes.
 */
export async function benchConfig(): Promise<void> {
  const [service, bare] = [await startService(), await startBare()];
  const whole = { "x-api-key": service.key, "accept-encoding": "gzip" };
  const { headers } = await fetch(`${service.url}/v1/config`, { headers: whole });
  const unchanged = { ...whole, "if-none-match": headers.get("etag") ?? "" };
  const rows = [
    await compareConfig({ service, bare, headers: whole, status: 200 }),
    await compareConfig({ service, bare, headers: unchanged, status: 304 }),
  ];
  printTable("config", HTTP_EXPLANATION, [HTTP_HEAD, ...rows]);
  await Promise.all([service.stop(), bare.stop()]);
}

interface ConfigCase {
  readonly service: Service;
  readonly bare: Bare;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: 200 | 304;
}

async function compareConfig({ service, bare, headers, status }: ConfigCase): Promise<readonly string[]> {
  const url = `${service.url}/v1/config`;
  const target: Target = { url, pid: service.pid, method: "GET", headers, status };
  const reference = await bare.standIn(target);
  const [ratio] = await compareHttp({
    service: target,
    references: [reference],
    rounds: ROUNDS,
    requests: REQUESTS,
  });
  const name = status === 200 ? "GET /v1/config, 200 (gzip)" : "GET /v1/config, 304";
  return httpRow({ name, reference: "bare `node:http`", aim: AIMS[status] }, ratio!);
}
