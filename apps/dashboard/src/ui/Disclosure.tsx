import type { ReactNode } from "react";

/** A foldable section, by the browser's details element. */
export function Disclosure({
  title,
  children,
  isOpen = false,
}: {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly isOpen?: boolean;
}) {
  return (
    <details className="disclosure" open={isOpen}>
      <summary>{title}</summary>
      <div className="disclosure-body">{children}</div>
    </details>
  );
}
