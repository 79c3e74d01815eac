import { startService } from "@assay/server";
import { parseSettings } from "@assay/server/settings";
import { type Api, createApi } from "./api.ts";
import { issueToken } from "./issue-token.ts";
import { createLogger } from "./logger.ts";

/** Settings of the answering and judging endpoints. All other settings may point to a service elsewhere and are ignored. */
const OF_ENDPOINTS = /^ASSAY_(JUDGE|REHEARSAL)_/;

/** Runs a service on the embedded engines in this process, on a free loopback port, while `work` runs. */
export async function onEmbeddedService<T>(dataDir: string, work: (api: Api) => Promise<T>): Promise<T> {
  const own = Object.entries(process.env).filter(([name]) => OF_ENDPOINTS.test(name));
  const settings = parseSettings({ ...Object.fromEntries(own), ASSAY_DATA_DIR: dataDir });
  const service = await startService({ ...settings, port: 0 }, createLogger("error"));
  try {
    return await work(createApi(service.url, await issueToken(settings)));
  } finally {
    await service.close();
  }
}
