import { Checkbox } from "../../ui/Field.tsx";
import { TYPE_WORDS, TYPES } from "./alert-words.ts";
import type { AlertType } from "./queries.ts";

interface TypeChoiceProps {
  /** Null: all. */
  readonly value: readonly AlertType[] | null;
  readonly onChange: (value: readonly AlertType[] | null) => void;
}

/** Which alerts a channel takes: all, or some. */
export function TypeChoice({ value, onChange }: TypeChoiceProps) {
  const toggle = (type: AlertType, isChosen: boolean) =>
    onChange(TYPES.filter((one) => (one === type ? isChosen : value?.includes(one))));
  return (
    <fieldset className="alert-types">
      <legend>Alerts</legend>
      <Checkbox isSelected={value === null} onChange={(isAll) => onChange(isAll ? null : TYPES)}>
        All, including those added by later versions
      </Checkbox>
      {value === null
        ? null
        : TYPES.map((type) => (
            <Checkbox
              key={type}
              isSelected={value.includes(type)}
              onChange={(isChosen) => toggle(type, isChosen)}
            >
              {TYPE_WORDS[type]}
            </Checkbox>
          ))}
    </fieldset>
  );
}
