import { useNavigate, useSearch } from "@tanstack/react-router";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { CodeBlock } from "../../ui/Copy.tsx";
import { KeyChoice } from "../start/KeyChoice.tsx";
import { useApiKey } from "../start/use-api-key.ts";
import { type EnvironmentFacts, langfuseLines, openTelemetryLines } from "./variables.ts";
import "../start/start.css";
import "./instrumented.css";

interface EnvironmentProps {
  readonly secretKey: ReturnType<typeof useApiKey>;
}

/** The variables for OpenTelemetry or for Langfuse's SDKs, with the keys filled in for people who may see them. The choice is in the URL. */
export function Environment({ secretKey }: EnvironmentProps) {
  const { sender } = useSearch({ from: "/shell/start/instrumented" });
  const navigate = useNavigate({ from: "/start/instrumented" });
  const publishableKey = useApiKey("publishable");
  const facts: EnvironmentFacts = {
    baseUrl: location.origin,
    secretKey: secretKey.raw,
    publishableKey: publishableKey.raw,
  };
  return (
    <Tabs
      className="code-tabs"
      selectedKey={sender === "langfuse" ? "langfuse" : "opentelemetry"}
      onSelectionChange={(key) =>
        navigate({
          search: key === "langfuse" ? { sender: "langfuse" } : {},
          replace: true,
          resetScroll: false,
        })
      }
    >
      <TabList className="code-tab-list" aria-label="What your application reports to">
        <Tab id="opentelemetry" className="code-tab">
          OpenTelemetry
        </Tab>
        <Tab id="langfuse" className="code-tab">
          Langfuse
        </Tab>
      </TabList>
      <TabPanel id="opentelemetry" className="code-tab-panel environment-panel">
        <KeyChoice source={secretKey} />
        <CodeBlock text={openTelemetryLines(facts)} label="Variables for OpenTelemetry" />
        <p>
          Any exporter of OTLP over HTTP works. Assay learns who got which variant from OpenFeature's hook for
          OpenTelemetry. The flag must be the experiment's name, id or flag key.
        </p>
      </TabPanel>
      <TabPanel id="langfuse" className="code-tab-panel environment-panel">
        <KeyChoice source={secretKey} />
        <KeyChoice source={publishableKey} />
        <CodeBlock text={langfuseLines(facts)} label="Variables for Langfuse" />
        <p>
          Langfuse's SDKs then report to Assay instead of Langfuse. Assay needs the same from each trace: who
          got which variant, and the model calls.
        </p>
      </TabPanel>
    </Tabs>
  );
}
