import type { ReactNode } from "react";

/** A foldable section, by the browser's details element. */
export function Disclosure({
  title,
  children,
  isOpen = false,
  onToggle,
}: {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly isOpen?: boolean;
  /** Called when the reader opens or folds it. */
  readonly onToggle?: (isOpen: boolean) => void;
}) {
  return (
    <details
      className="disclosure"
      open={isOpen}
      onToggle={({ currentTarget }) => onToggle?.(currentTarget.open)}
    >
      <summary>{title}</summary>
      <div className="disclosure-body">{children}</div>
    </details>
  );
}
