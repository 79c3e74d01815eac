import { parseSettings, serviceUrl } from "@assay/server";
import { type Api, createApi } from "./api.ts";
import { issueToken } from "./issue-token.ts";

/** The API of the service that the settings point at, as its local owner. */
export async function serviceApi(): Promise<Api> {
  const settings = parseSettings(process.env);
  return createApi(serviceUrl(settings), await issueToken(settings));
}
