import { parseUrl, type ReadSetting, required, SettingsError } from "./parse-value.ts";

/** An endpoint with OpenAI's chat completions API, and its model. */
export interface JudgeSettings {
  /** The address before `/chat/completions`, without a trailing slash. */
  readonly url: string;
  /** Null when the endpoint needs none, as local models do. */
  readonly apiKey: string | null;
  readonly model: string;
}

export const JUDGE_SETTINGS = [
  {
    name: "ASSAY_JUDGE_URL",
    default: "none: no judge",
    meaning:
      "http(s):// address of an OpenAI-compatible API that scores quality metrics, such as https://host/v1",
  },
  { name: "ASSAY_JUDGE_API_KEY", default: "none", meaning: "its API key, if it needs one", isSecret: true },
  { name: "ASSAY_JUDGE_MODEL", default: "none", meaning: "the model that scores" },
] as const;

/** Reads the judge; null when none of its settings is set. Throws a `SettingsError` when address or model is missing. */
export function parseJudge(read: ReadSetting): JudgeSettings | null {
  const set = JUDGE_SETTINGS.find(({ name }) => read(name) !== undefined);
  if (set === undefined) return null;
  return {
    url: parseAddress(required("ASSAY_JUDGE_URL", set.name, read)),
    apiKey: read("ASSAY_JUDGE_API_KEY") ?? null,
    model: required("ASSAY_JUDGE_MODEL", set.name, read),
  };
}

/** Reads the address. It is shown, so it must contain no key; a path is appended, so it must have no query or fragment. */
function parseAddress(text: string): string {
  const { username, password, search, hash } = new URL(
    parseUrl("ASSAY_JUDGE_URL", text, ["http:", "https:"]),
  );
  if (username || password || search || hash)
    throw new SettingsError("ASSAY_JUDGE_URL must be an address without user, password, ? or #.");
  return text.replace(/\/+$/, "");
}
