import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../../api/queries.ts";
import { type Option, SelectField, TextArea, TextField } from "../../../../ui/Field.tsx";
import type { ExclusionValues } from "./exclusion-form.ts";

interface ExclusionFieldsProps {
  readonly experimentId: string;
  readonly values: ExclusionValues;
  readonly onChange: (part: Partial<ExclusionValues>) => void;
  readonly faultOf: (field: keyof ExclusionValues) => string | null;
}

const SOURCES: readonly Option<string>[] = [
  { value: "", label: "Any" },
  { value: "publishable", label: "Publishable key" },
  { value: "secret", label: "Secret key" },
  { value: "import", label: "Import" },
  { value: "signed", label: "Signed webhook" },
  { value: "test", label: "Test event" },
  { value: "otlp", label: "OpenTelemetry" },
];

/** The reason, and the parts of the match. Events must match all filled-in parts. */
export function ExclusionFields({ experimentId, values, onChange, faultOf }: ExclusionFieldsProps) {
  const versions = useQuery(queries.versions(experimentId)).data ?? [];
  const keys = new Set(versions.flatMap(({ variants = [] }) => variants.map(({ key }) => key)));
  const variants = [{ value: "", label: "Any" }, ...[...keys].map((key) => ({ value: key, label: key }))];
  const field = <Name extends keyof ExclusionValues>(name: Name) => ({
    value: values[name],
    onChange: (value: string) => onChange({ [name]: value }),
    error: faultOf(name),
  });
  return (
    <>
      <TextArea {...field("reason")} label="Reason" rows={2} maxLength={1000} />
      <p>An event is set aside if it matches everything that you fill in below.</p>
      <div className="grid-2">
        <TextField {...field("from")} label="From (UTC)" type="datetime-local" />
        <TextField {...field("to")} label="Before (UTC)" type="datetime-local" />
        <SelectField {...field("source")} label="Source" options={SOURCES} />
        <SelectField {...field("variant")} label="Variant" options={variants} />
        <TextField
          {...field("key_prefix")}
          label="Key"
          hint="Its first characters, for example svc_pk_12345."
        />
        <TextField {...field("client")} label="Client" hint="Name and version: assay-python/1.2.0" />
      </div>
      <TextField {...field("business_metric")} label="Business metric" />
      <div className="grid-2">
        <TextArea
          {...field("user_ids")}
          label="User ids"
          hint="One per line, at most 1,000."
          rows={3}
          isCode
        />
        <TextArea
          {...field("event_ids")}
          label="Event ids"
          hint="One per line, at most 1,000."
          rows={3}
          isCode
        />
      </div>
    </>
  );
}
