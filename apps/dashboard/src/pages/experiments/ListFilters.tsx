import { useEffect, useMemo, useRef, useState } from "react";
import type { ExperimentOverview } from "../../api/types.ts";
import { Checkbox, SelectField, TextField } from "../../ui/Field.tsx";
import {
  chosen,
  healthOptions,
  type ListFilter,
  ownerOptions,
  stateOptions,
  tagOptions,
} from "./list-filter.ts";

interface ListFiltersProps {
  readonly items: readonly ExperimentOverview[];
  readonly filter: ListFilter;
  readonly onChange: (changed: ListFilter) => void;
}

/** The filters of the list. */
export function ListFilters({ items, filter, onChange }: ListFiltersProps) {
  const states = useMemo(() => stateOptions(items), [items]);
  const owners = useMemo(() => ownerOptions(items), [items]);
  const tags = useMemo(() => tagOptions(items), [items]);
  return (
    <search className="list-filters">
      <NameSearch value={filter.q ?? ""} onChange={(q) => onChange({ q: q === "" ? undefined : q })} />
      <SelectField
        label="State"
        options={states}
        value={filter.state ?? "any"}
        onChange={(state) => onChange({ state: chosen(state) })}
      />
      <SelectField
        label="Health"
        options={healthOptions()}
        value={filter.health ?? "any"}
        onChange={(health) => onChange({ health: chosen(health) })}
      />
      <SelectField
        label="Owner"
        options={owners}
        value={filter.owner ?? "any"}
        onChange={(owner) => onChange({ owner: chosen(owner) })}
      />
      {tags.length > 1 ? (
        <SelectField
          label="Tag"
          options={tags}
          value={filter.tag ?? "any"}
          onChange={(tag) => onChange({ tag: chosen(tag) })}
        />
      ) : null}
      <Checkbox
        isSelected={filter.attention !== undefined}
        onChange={(isOn) => onChange({ attention: isOn ? "yes" : undefined })}
      >
        Needs attention
      </Checkbox>
    </search>
  );
}

/** Typing updates the URL; without focus, a changed URL (back, reset) updates the field. */
function NameSearch({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current?.contains(document.activeElement)) return;
    setText(value);
  }, [value]);
  return (
    <div ref={place} className="list-search">
      <TextField
        label="Name or tag"
        type="search"
        placeholder="Search by name or tag"
        value={text}
        onChange={(typed) => {
          setText(typed);
          onChange(typed);
        }}
      />
    </div>
  );
}
