import { Link, type LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button as AriaButton, type ButtonProps } from "react-aria-components";
import "./button.css";

export type ButtonLook = "primary" | "plain" | "quiet" | "danger";

interface Look {
  /** Plain by default; at most one primary button per page or dialog. */
  readonly look?: ButtonLook;
}

/** A button. With `isPending`, it keeps its place and focus. */
export function Button({ look = "plain", className, ...props }: ButtonProps & Look) {
  return <AriaButton {...props} className={`button button-${look} ${className ?? ""}`} />;
}

/** A link that looks like a button. */
export function LinkButton({
  look = "plain",
  children,
  ...props
}: LinkProps & Look & { readonly children: ReactNode }) {
  return (
    <Link {...props} className={`button button-${look}`}>
      {children}
    </Link>
  );
}
