import { parseUrl, type ReadSetting, required, SettingsError } from "./parse-value.ts";

/** An endpoint that speaks OpenAI's chat completions, and its model. */
export interface JudgeSettings {
  /** The address that `/chat/completions` follows, without a slash at its end. */
  readonly url: string;
  /** Null: it asks for none, as models on one's own machine do. */
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
  { name: "ASSAY_JUDGE_API_KEY", default: "none", meaning: "its key, if it asks for one", isSecret: true },
  { name: "ASSAY_JUDGE_MODEL", default: "none", meaning: "its model that scores" },
] as const;

/** Reads the judge; null when none of its settings is set. Throws `SettingsError` when address or model is missing. */
export function parseJudge(read: ReadSetting): JudgeSettings | null {
  const set = JUDGE_SETTINGS.find(({ name }) => read(name) !== undefined);
  if (set === undefined) return null;
  return {
    url: parseAddress(required("ASSAY_JUDGE_URL", set.name, read)),
    apiKey: read("ASSAY_JUDGE_API_KEY") ?? null,
    model: required("ASSAY_JUDGE_MODEL", set.name, read),
  };
}

/** An address is shown, so no key may stand in it; and a path follows it, so nothing may stand after its own. */
function parseAddress(text: string): string {
  const { username, password, search, hash } = new URL(
    parseUrl("ASSAY_JUDGE_URL", text, ["http:", "https:"]),
  );
  if (username || password || search || hash)
    throw new SettingsError("ASSAY_JUDGE_URL must be an address without user, password, ? and #.");
  return text.replace(/\/+$/, "");
}
