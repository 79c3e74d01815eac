import { type Control, Controller } from "react-hook-form";
import { TextField } from "../../ui/Field.tsx";
import type { AlertType, Kind } from "./queries.ts";

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

interface TargetFieldProps {
  readonly control: Control<ChannelValues>;
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

/** The target as the API takes it. */
export function targetBody(kind: Kind, target: string) {
  if (kind !== "email") return { url: target.trim() };
  return { addresses: target.split(/[\s,;]+/).filter((address) => address !== "") };
}
