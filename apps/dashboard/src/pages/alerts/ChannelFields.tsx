import { type Control, Controller } from "react-hook-form";
import { Problem } from "../../api/problem.ts";
import { TextField } from "../../ui/Field.tsx";
import type { AlertType, Kind } from "./queries.ts";
import { TypeChoice } from "./TypeChoice.tsx";

/** What the forms of channels hold. */
export interface ChannelValues {
  readonly name: string;
  readonly kind: Kind;
  /** An address, or email addresses separated by commas. */
  readonly target: string;
  readonly types: readonly AlertType[] | null;
  readonly on: boolean;
}

const HINTS: Readonly<Record<Kind, string>> = {
  webhook: "An https:// address of your service.",
  slack: "From your Slack app: Incoming Webhooks.",
  teams: "From the workflow in Teams.",
  email: "At most five, separated by commas.",
};

interface FieldProps {
  readonly control: Control<ChannelValues>;
}

export function NameField({ control }: FieldProps) {
  return (
    <Controller
      control={control}
      name="name"
      rules={{ required: "Enter a name, such as the team that reads it." }}
      render={({ field: { ref: _ref, ...field }, fieldState }) => (
        <TextField {...field} label="Name" autoComplete="off" error={fieldState.error?.message} />
      )}
    />
  );
}

/** The alerts that a channel takes. */
export function TypesField({ control }: FieldProps) {
  return (
    <Controller
      control={control}
      name="types"
      render={({ field: { value, onChange } }) => <TypeChoice value={value} onChange={onChange} />}
    />
  );
}

interface TargetFieldProps extends FieldProps {
  readonly kind: Kind;
  /** The service's complaint. */
  readonly fault: string | undefined;
  /** Whether an empty field keeps the present target. */
  readonly isOptional?: boolean;
}

/** Where a channel sends. */
export function TargetField({ control, kind, fault, isOptional = false }: TargetFieldProps) {
  const what = kind === "email" ? "Email addresses" : "Address";
  return (
    <Controller
      control={control}
      name="target"
      rules={isOptional ? {} : { required: "Enter where to send." }}
      render={({ field: { ref: _ref, ...field }, fieldState }) => (
        <TextField
          {...field}
          label={isOptional ? `New ${what.toLowerCase()} (empty: unchanged)` : what}
          hint={HINTS[kind]}
          autoComplete="off"
          error={fieldState.error?.message ?? fault}
        />
      )}
    />
  );
}

/** The service's complaint about where a channel sends. */
export function targetFault(problem: Error | null): string | undefined {
  if (!(problem instanceof Problem)) return undefined;
  return problem.faults.find(({ pointer }) => /^\/(url|addresses)/.test(pointer))?.detail;
}

/** The target as the API takes it. */
export function targetBody(kind: Kind, target: string) {
  if (kind !== "email") return { url: target.trim() };
  return { addresses: target.split(/[\s,;]+/).filter((address) => address !== "") };
}
