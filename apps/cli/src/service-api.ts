import { parseSettings } from "@assay/server";
import { type Api, createApi } from "./api.ts";
import { issueToken } from "./issue-token.ts";

/** The API of the service that the settings point at, as its local owner. */
export async function serviceApi(): Promise<Api> {
  const { dataDir, host, port } = parseSettings(process.env);
  const name = host === "0.0.0.0" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return createApi(`http://${name}:${port}`, await issueToken(dataDir));
}
