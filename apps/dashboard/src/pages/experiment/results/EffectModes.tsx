import { ToggleButton, ToggleButtonGroup } from "react-aria-components";
import { EFFECT_MODES, type EffectMode } from "./shown-effect.ts";

const WORDS: Readonly<Record<EffectMode, string>> = {
  relative: "Relative",
  absolute: "Absolute",
  "per-10000": "Per 10,000 users",
};

interface EffectModesProps {
  readonly mode: EffectMode;
  readonly onChange: (mode: EffectMode) => void;
}

/** Chooses how effects are shown. */
export function EffectModes({ mode, onChange }: EffectModesProps) {
  return (
    <ToggleButtonGroup
      className="effect-modes"
      aria-label="Show effects as"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[mode]}
      onSelectionChange={(keys) => {
        const chosen = EFFECT_MODES.find((one) => keys.has(one));
        if (chosen) onChange(chosen);
      }}
    >
      {EFFECT_MODES.map((one) => (
        <ToggleButton key={one} id={one} className="effect-mode">
          {WORDS[one]}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}

/** Reads the mode from the URL; relative by default. */
export function effectModeOf(text: string | undefined): EffectMode {
  return EFFECT_MODES.find((one) => one === text) ?? "relative";
}
