import { type ReadSetting, SettingsError } from "./parse-value.ts";

/** Tracing, set by OpenTelemetry's own variables. The exporter itself reads those for headers, certificates, compression and timeout. */
export interface TracingSettings {
  /** Where spans are sent: OTLP over HTTP in protobuf. */
  readonly tracesUrl: string;
  readonly sampler: SamplerSetting;
  /** Resource attributes that add to or replace name, version and role. */
  readonly resource: Readonly<Record<string, string>>;
}

export interface SamplerSetting {
  readonly name: { readonly kind: SamplerKind; readonly isParentBased: boolean };
  /** The share of traces kept when the sampler is `traceidratio`. */
  readonly ratio: number;
}

const KINDS = ["always_on", "always_off", "traceidratio"] as const;
type SamplerKind = (typeof KINDS)[number];

/** Reads OpenTelemetry's variables; null when they set no endpoint for traces. */
export function parseTracing(read: ReadSetting): TracingSettings | null {
  if (read("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return null;
  if ((read("OTEL_TRACES_EXPORTER") ?? "otlp") === "none") return null;
  const tracesUrl = readUrl(read);
  if (tracesUrl === null) return null;
  const protocol = read("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? read("OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol !== undefined && protocol !== "http/protobuf")
    throw new SettingsError(
      `OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not "${protocol}": traces use no other protocol (port 4318 of a collector).`,
    );
  return { tracesUrl, sampler: parseSampler(read), resource: parseResource(read) };
}

function readUrl(read: ReadSetting): string | null {
  const [own, base] = [read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), read("OTEL_EXPORTER_OTLP_ENDPOINT")];
  if (own !== undefined) return checkUrl("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", own);
  if (base === undefined) return null;
  return `${checkUrl("OTEL_EXPORTER_OTLP_ENDPOINT", base).replace(/\/$/, "")}/v1/traces`;
}

function checkUrl(name: string, text: string): string {
  if (/^https?:\/\//.test(text) && URL.canParse(text)) return text;
  throw new SettingsError(`${name} must be an http:// or https:// address.`);
}

function parseSampler(read: ReadSetting): SamplerSetting {
  const text = read("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on";
  const isParentBased = text.startsWith("parentbased_");
  const kind = KINDS.find((known) => known === text.replace(/^parentbased_/, ""));
  if (kind === undefined)
    throw new SettingsError(
      `OTEL_TRACES_SAMPLER must be ${KINDS.join(", ")}, or one of them after parentbased_, not "${text}".`,
    );
  const ratio = Number(read("OTEL_TRACES_SAMPLER_ARG") ?? "1");
  if (ratio >= 0 && ratio <= 1) return { name: { kind, isParentBased }, ratio };
  throw new SettingsError("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.");
}

function parseResource(read: ReadSetting): Readonly<Record<string, string>> {
  const pairs = (read("OTEL_RESOURCE_ATTRIBUTES") ?? "").split(",").filter((pair) => pair.trim() !== "");
  const attributes = pairs.map((pair) => {
    const [name = "", value] = pair.split("=", 2).map((part) => part.trim());
    if (value === undefined || name === "" || !isEncoded(value))
      throw new SettingsError("OTEL_RESOURCE_ATTRIBUTES must be pairs such as deployment.environment=prod.");
    return [name, decodeURIComponent(value)] as const;
  });
  const name = read("OTEL_SERVICE_NAME");
  return { ...Object.fromEntries(attributes), ...(name === undefined ? {} : { "service.name": name }) };
}

function isEncoded(value: string): boolean {
  try {
    decodeURIComponent(value);
    return true;
  } catch {
    return false;
  }
}
