import { parseUrl, type ReadSetting, required, SettingsError } from "./parse-value.ts";

/** An endpoint with OpenAI's chat completions API. */
export interface ChatSettings {
  /** The address before `/chat/completions`, without a trailing slash. */
  readonly url: string;
  /** Null when the endpoint needs none, as local models do. */
  readonly apiKey: string | null;
}

/** The judge's endpoint, and its model. */
export interface JudgeSettings extends ChatSettings {
  readonly model: string;
}

/** The endpoint that answers inputs in rehearsals; the models are those of the arms. */
export interface RehearsalSettings extends ChatSettings {
  /** Whether it is the judge's, because no other is set. */
  readonly isJudges: boolean;
}

export const JUDGE_SETTINGS = [
  {
    name: "ASSAY_JUDGE_URL",
    default: "none: no judge",
    meaning:
      "http(s):// address of an OpenAI-compatible API that scores quality metrics, such as https://host/v1",
  },
  {
    name: "ASSAY_JUDGE_API_KEY",
    default: "none",
    meaning: "API key for ASSAY_JUDGE_URL, if it needs one",
    isSecret: true,
  },
  { name: "ASSAY_JUDGE_MODEL", default: "none", meaning: "the model that scores" },
] as const;

/** Reads the judge; null when none of its settings is set. Throws a `SettingsError` when address or model is missing. */
export function parseJudge(read: ReadSetting): JudgeSettings | null {
  const set = JUDGE_SETTINGS.find(({ name }) => read(name) !== undefined);
  if (set === undefined) return null;
  return {
    url: parseAddress("ASSAY_JUDGE_URL", required("ASSAY_JUDGE_URL", set.name, read)),
    apiKey: read("ASSAY_JUDGE_API_KEY") ?? null,
    model: required("ASSAY_JUDGE_MODEL", set.name, read),
  };
}

export const REHEARSAL_SETTINGS = [
  {
    name: "ASSAY_REHEARSAL_URL",
    default: "ASSAY_JUDGE_URL",
    meaning:
      "http(s):// address of an OpenAI-compatible API that answers the inputs of rehearsals, such as a LiteLLM proxy",
  },
  {
    name: "ASSAY_REHEARSAL_API_KEY",
    default: "none; without ASSAY_REHEARSAL_URL: ASSAY_JUDGE_API_KEY",
    meaning: "API key for ASSAY_REHEARSAL_URL, if it needs one",
    isSecret: true,
  },
] as const;

/** Reads the endpoint of rehearsals, by default the judge's. Null when there is neither. */
export function parseRehearsal(read: ReadSetting, judge: JudgeSettings | null): RehearsalSettings | null {
  const [url, apiKey] = [read("ASSAY_REHEARSAL_URL"), read("ASSAY_REHEARSAL_API_KEY")];
  if (url !== undefined)
    return { url: parseAddress("ASSAY_REHEARSAL_URL", url), apiKey: apiKey ?? null, isJudges: false };
  // A key belongs to an address. Sent to another one, it would leak.
  if (apiKey !== undefined) required("ASSAY_REHEARSAL_URL", "ASSAY_REHEARSAL_API_KEY", read);
  return judge && { url: judge.url, apiKey: judge.apiKey, isJudges: true };
}

/** Reads the address. It is shown, so it must contain no key. A path is appended, so it must have no query or fragment. */
function parseAddress(name: string, text: string): string {
  const { username, password, search, hash } = new URL(parseUrl(name, text, ["http:", "https:"]));
  if (username || password || search || hash)
    throw new SettingsError(`${name} must be an address without user, password, ? or #.`);
  return text.replace(/\/+$/, "");
}
