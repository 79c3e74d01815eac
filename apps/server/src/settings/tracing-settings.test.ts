import { expect, test } from "vitest";
import { parseTracing } from "./tracing-settings.ts";

const parse = (env: Readonly<Record<string, string>>) => parseTracing((name) => env[name]);
const at = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

test.each([
  { name: "nothing names a place", env: {} },
  { name: "the library is turned off", env: { ...at, OTEL_SDK_DISABLED: "true" } },
  { name: "no exporter is requested", env: { ...at, OTEL_TRACES_EXPORTER: "none" } },
])("no traces are kept when $name", ({ env }) => expect(parse(env)).toBeNull());

test("traces go to the collector, all of them but those that a caller leaves out", () => {
  expect(parse(at)).toEqual({
    tracesUrl: "http://collector:4318/v1/traces",
    sampler: { name: { kind: "always_on", isParentBased: true }, ratio: 1 },
    resource: {},
  });
});

test("the sampler, the resource and a place for traces alone are read", () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/otlp/",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/in",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.05",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=pre%20prod, service.name=other",
    OTEL_SERVICE_NAME: "assay-eu",
  };
  expect(parse(env)).toEqual({
    tracesUrl: "https://traces.example/in",
    sampler: { name: { kind: "traceidratio", isParentBased: false }, ratio: 0.05 },
    resource: { "deployment.environment": "pre prod", "service.name": "assay-eu" },
  });
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: _left, ...base } = env;
  expect(parse(base)?.tracesUrl).toBe("http://collector:4318/otlp/v1/traces");
});

test.each([
  { name: "OTEL_EXPORTER_OTLP_ENDPOINT", env: { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" } },
  { name: "OTEL_EXPORTER_OTLP_PROTOCOL", env: { ...at, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" } },
  { name: "OTEL_TRACES_SAMPLER", env: { ...at, OTEL_TRACES_SAMPLER: "sometimes" } },
  { name: "OTEL_TRACES_SAMPLER_ARG", env: { ...at, OTEL_TRACES_SAMPLER_ARG: "5%" } },
  { name: "OTEL_RESOURCE_ATTRIBUTES", env: { ...at, OTEL_RESOURCE_ATTRIBUTES: "prod" } },
  { name: "OTEL_RESOURCE_ATTRIBUTES", env: { ...at, OTEL_RESOURCE_ATTRIBUTES: "a=%zz" } },
])("a malformed $name is named", ({ name, env }) => expect(() => parse(env)).toThrow(name));
