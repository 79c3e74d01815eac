import { X } from "lucide-react";
import { useState } from "react";
import { useController, useFormContext } from "react-hook-form";
import { Button } from "../../ui/Button.tsx";
import { TextArea, TextField } from "../../ui/Field.tsx";
import type { ExperimentValues } from "./form-values.ts";
import { newRow, toggleJson, type VariableRow, type VariablesValues } from "./variables.ts";

const SETTINGS = ["model", "temperature", "max_tokens"] as const;

/** The variables of a variant, as a table or as JSON. */
export function VariablesEditor({ index, variant }: { readonly index: number; readonly variant: string }) {
  const { control } = useFormContext<ExperimentValues>();
  const { field, fieldState } = useController({ control, name: `variants.${index}.variables` });
  const values: VariablesValues = field.value;
  const error = fieldState.error?.message;
  return (
    <fieldset className="variables">
      <legend>Variables and model settings</legend>
      {values.isJson ? (
        <TextArea
          label={<span>JSON</span>}
          aria-label={`Variables of ${variant} as JSON`}
          isCode
          value={values.json}
          onChange={(json) => field.onChange({ ...values, json })}
          error={error}
        />
      ) : (
        <VariableTable
          variant={variant}
          rows={values.rows}
          onChange={(rows) => field.onChange({ ...values, rows })}
          error={error}
        />
      )}
      <Button look="quiet" onPress={() => field.onChange(toggleJson(values))}>
        {values.isJson ? "Edit as a table" : "Edit as JSON"}
      </Button>
    </fieldset>
  );
}

interface VariableTableProps {
  readonly variant: string;
  readonly rows: readonly VariableRow[];
  readonly onChange: (rows: readonly VariableRow[]) => void;
  readonly error: string | undefined;
}

function VariableTable({ variant, rows, onChange, error }: VariableTableProps) {
  const edit = (id: string, change: Partial<VariableRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...change } : row)));
  // The button that adds a setting disappears, so the focus moves to the new field.
  const [added, setAdded] = useState<string | null>(null);
  const add = (row: VariableRow) => {
    onChange([...rows, row]);
    setAdded(row.id);
  };
  const missing = SETTINGS.filter((key) => !rows.some((row) => row.key === key));
  return (
    <>
      {rows.map((row, index) => (
        <div key={row.id} className="variable-row">
          <TextField
            label={<span className="visually-hidden">{`Variable ${index + 1} of ${variant}: name`}</span>}
            placeholder="name"
            autoFocus={row.id === added && row.key === ""}
            value={row.key}
            onChange={(key) => edit(row.id, { key })}
            error={index === 0 ? error : null}
          />
          <TextField
            label={<span className="visually-hidden">{`Variable ${index + 1} of ${variant}: value`}</span>}
            placeholder="value"
            autoFocus={row.id === added && row.key !== ""}
            value={row.value}
            onChange={(value) => edit(row.id, { value })}
          />
          <Button
            look="quiet"
            aria-label={`Remove variable ${row.key || index + 1} of ${variant}`}
            onPress={() => onChange(rows.filter(({ id }) => id !== row.id))}
          >
            <X size={16} aria-hidden="true" />
          </Button>
        </div>
      ))}
      <div className="row">
        {missing.map((key) => (
          <Button
            key={key}
            look="quiet"
            onPress={() => add(newRow(key))}
            aria-label={`Add ${key} to ${variant}`}
          >
            + {key}
          </Button>
        ))}
        <Button look="quiet" aria-label={`Add a variable to ${variant}`} onPress={() => add(newRow())}>
          + variable
        </Button>
      </div>
    </>
  );
}
