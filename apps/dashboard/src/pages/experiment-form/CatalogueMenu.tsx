import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../../api/queries.ts";
import { Button } from "../../ui/Button.tsx";
import { SelectField } from "../../ui/Field.tsx";
import { fromCatalogue } from "./metric-templates.ts";
import type { MetricValues } from "./metric-values.ts";

interface CatalogueMenuProps {
  readonly present: readonly MetricValues[];
  readonly onAdd: (metric: MetricValues) => void;
}

/** Shared metrics of other experiments: the same definition everywhere. */
export function CatalogueMenu({ present, onAdd }: CatalogueMenuProps) {
  const catalogue = useQuery(queries.metrics());
  const [chosen, choose] = useState<string | null>(null);
  const names = new Set(present.map(({ name }) => name));
  const offered = (catalogue.data?.items ?? [])
    .map(({ definition }) => definition)
    .filter(({ name, shared_org_wide }) => shared_org_wide && !names.has(name));
  if (offered.length === 0) return null;
  const metric = offered.find(({ name }) => name === chosen);
  return (
    <div className="catalogue-row">
      <SelectField
        label="From your organization's catalogue"
        options={offered.map(({ name, description }) => ({
          value: name,
          label: name,
          ...(description ? { detail: description } : {}),
        }))}
        value={metric?.name ?? null}
        onChange={choose}
      />
      <Button
        isDisabled={metric === undefined}
        onPress={() => metric && onAdd(fromCatalogue(metric, present))}
      >
        Add
      </Button>
    </div>
  );
}
