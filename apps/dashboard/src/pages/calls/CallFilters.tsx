import { useEffect, useRef, useState } from "react";
import type { Experiment } from "../../api/types.ts";
import { Button } from "../../ui/Button.tsx";
import { type Option, SelectField, TextField } from "../../ui/Field.tsx";
import {
  CALL_ORDERS,
  type CallOrder,
  type CallSearch,
  isFiltered,
  NO_FILTERS,
  orderOf,
  SOURCES,
  splitOrder,
} from "./call-search.ts";

interface CallFiltersProps {
  readonly experiment: Experiment;
  readonly search: CallSearch;
  readonly onSearch: (change: CallSearch, how: "push" | "replace") => void;
}

type Errors = "all" | "only" | "none";
const ERRORS: readonly Option<Errors>[] = [
  { value: "all", label: "All calls" },
  { value: "only", label: "Failed calls only" },
  { value: "none", label: "Successful calls only" },
];

/** The filters and the order of the calls; each choice goes into the URL. */
export function CallFilters({ experiment, search, onSearch }: CallFiltersProps) {
  const change = (part: CallSearch) => onSearch(part, "replace");
  const variants = (experiment.variants ?? []).map(({ key }) => ({ value: `=${key}`, label: key }));
  return (
    <search className="calls-filters" aria-label="Filter the calls">
      <SelectField
        label="Variant"
        options={[{ value: "", label: "All variants" }, ...variants]}
        value={search.variant ? `=${search.variant}` : ""}
        onChange={(value) => change({ variant: value.slice(1) || undefined })}
      />
      <TypedFilter
        label="User"
        placeholder="full id"
        value={search.user}
        onCommit={(user) => change({ user })}
      />
      <TypedFilter
        label="Model"
        placeholder="full name"
        value={search.model}
        onCommit={(model) => change({ model })}
      />
      <TypedFilter
        label="Text"
        placeholder="in prompt or answer"
        value={search.text}
        onCommit={(text) => change({ text })}
      />
      <SelectField
        label="Errors"
        options={ERRORS}
        value={search.errors === "only" || search.errors === "none" ? search.errors : "all"}
        onChange={(value) => change({ errors: value === "all" ? undefined : value })}
      />
      <SelectField
        label="Sent by"
        options={[{ value: "", label: "Anyone" }, ...SOURCES]}
        value={SOURCES.find(({ value }) => value === search.source)?.value ?? ""}
        onChange={(value) => change({ source: value || undefined })}
      />
      <SelectField<CallOrder>
        label="Order"
        options={CALL_ORDERS}
        value={orderOf(search)}
        onChange={(value) => change(splitOrder(value))}
      />
      {isFiltered(search) ? (
        <Button className="calls-reset" onPress={() => change(NO_FILTERS)}>
          Reset filters
        </Button>
      ) : null}
    </search>
  );
}

interface TypedFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly onCommit: (value: string | undefined) => void;
}

const PAUSE_MS = 400;

/** A text filter. It applies when typing pauses, so that not every keystroke sends a request. */
function TypedFilter({ label, placeholder, value = "", onCommit }: TypedFilterProps) {
  const [typed, setTyped] = useState(value);
  const commit = useRef(onCommit);
  commit.current = onCommit;
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => commit.current(typed || undefined), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <TextField label={label} placeholder={placeholder} value={typed} onChange={setTyped} maxLength={200} />
  );
}
