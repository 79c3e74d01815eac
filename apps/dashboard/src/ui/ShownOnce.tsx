import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./Button.tsx";
import { CopyButton } from "./Copy.tsx";
import "./shown-once.css";

interface ShownOnceProps {
  /** What it is: "Your new secret key". */
  readonly name: string;
  readonly value: string;
  readonly children?: ReactNode;
  readonly onDone: () => void;
  /** The text of the button that hides it. */
  readonly done?: string;
}

/** A secret that is shown once, focused and ready to copy. */
export function ShownOnce({ name, value, children, onDone, done = "I have saved it" }: ShownOnceProps) {
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), []);
  return (
    <div className="shown-once">
      <label htmlFor={id}>{name}</label>
      <div className="shown-once-value">
        <input
          id={id}
          ref={field}
          readOnly
          value={value}
          spellCheck={false}
          autoComplete="off"
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={value} />
        <Button look="quiet" onPress={onDone}>
          {done}
        </Button>
      </div>
      {children ?? <p>Copy it now. It disappears when you leave or reload this page.</p>}
    </div>
  );
}
