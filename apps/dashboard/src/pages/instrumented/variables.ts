import { KEY_PLACEHOLDERS } from "../start/snippets.ts";

/** What the lines hold; null: the key is unknown to this page. */
export interface EnvironmentFacts {
  /** The URL of this installation, without a trailing slash. */
  readonly baseUrl: string;
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
}

/** The variables that send OpenTelemetry's traces and log records to Assay. */
export function openTelemetryLines({ baseUrl, secretKey }: EnvironmentFacts): string {
  return `OTEL_EXPORTER_OTLP_ENDPOINT=${baseUrl}/v1/otlp
OTEL_EXPORTER_OTLP_HEADERS=X-API-Key=${secretKey ?? KEY_PLACEHOLDERS.secret}
`;
}

/** The variables that send what Langfuse's SDKs report to Assay. */
export function langfuseLines({ baseUrl, secretKey, publishableKey }: EnvironmentFacts): string {
  return `LANGFUSE_BASE_URL=${baseUrl}
LANGFUSE_PUBLIC_KEY=${publishableKey ?? KEY_PLACEHOLDERS.publishable}
LANGFUSE_SECRET_KEY=${secretKey ?? KEY_PLACEHOLDERS.secret}
`;
}
