import { Check, ChevronDown } from "lucide-react";
import { type ReactNode, useRef } from "react";
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  NumberField as AriaNumberField,
  Select as AriaSelect,
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  type CheckboxProps,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  type NumberFieldProps,
  Popover,
  SelectValue,
  Text,
  type TextFieldProps,
} from "react-aria-components";
import { readDecimalComma } from "../format/decimal-comma.ts";
import "./field.css";

interface Labelled {
  readonly label: ReactNode;
  /** Shown below the field. */
  readonly hint?: ReactNode;
  /** Error message. */
  readonly error?: string | null | undefined;
}

function Below({ hint, error }: Pick<Labelled, "hint" | "error">) {
  return (
    <>
      {hint ? (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      ) : null}
      <FieldError className="field-error">{error}</FieldError>
    </>
  );
}

type TextProps = Omit<TextFieldProps, "children" | "className" | "isInvalid"> &
  Labelled & { readonly placeholder?: string };

/** One line of text. */
export function TextField({ label, hint, error, placeholder, ...props }: TextProps) {
  return (
    <AriaTextField {...props} isInvalid={Boolean(error)} validationBehavior="aria" className="field">
      <Label>{label}</Label>
      <Input className="field-input" placeholder={placeholder} />
      <Below hint={hint} error={error} />
    </AriaTextField>
  );
}

/** Several lines of text; `isCode` for prompts and JSON. */
export function TextArea({
  label,
  hint,
  error,
  placeholder,
  rows = 4,
  isCode = false,
  ...props
}: TextProps & { readonly rows?: number; readonly isCode?: boolean }) {
  return (
    <AriaTextField {...props} isInvalid={Boolean(error)} validationBehavior="aria" className="field">
      <Label>{label}</Label>
      <AriaTextArea
        className={isCode ? "field-input field-code" : "field-input"}
        rows={rows}
        placeholder={placeholder}
      />
      <Below hint={hint} error={error} />
    </AriaTextField>
  );
}

/** The parser reads every comma as a thousands separator: 0,05 would become 5. */
const takeDecimalComma = listenForComma(() => true);
/** Thousands may be typed here, but none begin with a zero. */
const takeCommaAfterZero = listenForComma((text) => /^\D*0,/.test(text));

function listenForComma(isDecimal: (text: string) => boolean) {
  const commaToPoint = (event: InputEvent) => {
    if (!event.data?.includes(",")) return;
    const { value, selectionStart } = event.target as HTMLInputElement;
    if (!isDecimal(value.slice(0, selectionStart ?? 0) + event.data)) return;
    event.preventDefault();
    event.stopPropagation();
    document.execCommand("insertText", false, event.data.replace(",", "."));
  };
  return (field: HTMLElement | null) =>
    field?.addEventListener("beforeinput", commaToPoint, { capture: true });
}

type NumberProps = Omit<NumberFieldProps, "children" | "className" | "isInvalid"> & Labelled;

/**
 * A number. `formatOptions` sets unit or percent, and arrow keys step. A decimal comma is accepted; in a field that
 * takes thousands, only where it can mean nothing else.
 */
export function NumberField({ label, hint, error, onChange, ...props }: NumberProps) {
  const { formatOptions, step = 1 } = props;
  const isFraction = formatOptions?.style === "percent" || !Number.isInteger(step);
  const typed = useRef("");
  const change = (value: number) => {
    onChange?.(readDecimalComma(typed.current) ?? value);
    typed.current = "";
  };
  return (
    <AriaNumberField
      {...props}
      onChange={change}
      ref={isFraction ? takeDecimalComma : takeCommaAfterZero}
      isInvalid={Boolean(error)}
      validationBehavior="aria"
      className="field"
    >
      <Label>{label}</Label>
      <Input
        className="field-input"
        // What was typed before changed nothing, and is no longer shown.
        onFocus={() => {
          typed.current = "";
        }}
        onInput={(event) => {
          typed.current = event.currentTarget.value;
        }}
      />
      <Below hint={hint} error={error} />
    </AriaNumberField>
  );
}

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  /** A second line. */
  readonly detail?: string;
}

interface SelectFieldProps<Value extends string> extends Labelled {
  readonly options: readonly Option<Value>[];
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
  /** Shown without a choice. */
  readonly placeholder?: string;
}

/** A choice from a list. */
export function SelectField<Value extends string>({
  label,
  hint,
  error,
  options,
  value,
  onChange,
  isDisabled = false,
  placeholder = "Choose…",
}: SelectFieldProps<Value>) {
  return (
    <AriaSelect
      className="field"
      value={value}
      onChange={(key) => {
        const chosen = options.find((option) => option.value === key);
        if (chosen) onChange(chosen.value);
      }}
      isDisabled={isDisabled}
      isInvalid={Boolean(error)}
      validationBehavior="aria"
      placeholder={placeholder}
    >
      <Label>{label}</Label>
      <AriaButton className="field-input field-select">
        <SelectValue className="field-select-value">
          {({ selectedText }) => selectedText ?? placeholder}
        </SelectValue>
        <ChevronDown size={16} aria-hidden="true" />
      </AriaButton>
      <Below hint={hint} error={error} />
      <Popover className="popover">
        <ListBox className="options" items={options.map((option) => ({ ...option, id: option.value }))}>
          {(option) => (
            <ListBoxItem className="option" textValue={option.label}>
              <Text slot="label">{option.label}</Text>
              {option.detail ? (
                <Text slot="description" className="option-detail">
                  {option.detail}
                </Text>
              ) : null}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** A checkbox with its label. */
export function Checkbox({
  children,
  ...props
}: Omit<CheckboxProps, "children"> & { readonly children: ReactNode }) {
  return (
    <AriaCheckbox {...props} className="checkbox">
      {({ isSelected }) => (
        <>
          <span className="checkbox-box" aria-hidden="true">
            {isSelected ? <Check size={14} strokeWidth={3} /> : null}
          </span>
          <span>{children}</span>
        </>
      )}
    </AriaCheckbox>
  );
}
