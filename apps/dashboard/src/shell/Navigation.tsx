import { Link } from "@tanstack/react-router";
import type { WhoAmI } from "../api/types.ts";

/** The main pages, in the order of the navigation. */
export const SECTIONS = [
  { to: "/", label: "Experiments" },
  { to: "/calls", label: "Calls" },
  { to: "/judges", label: "Judges" },
  { to: "/catalogue", label: "Metrics" },
  { to: "/usage", label: "Usage & plan" },
  { to: "/keys", label: "Keys & webhooks" },
  { to: "/audit", label: "Audit" },
  { to: "/settings", label: "Settings" },
] as const;

/** The page of platform owners. */
export const PLATFORM = { to: "/platform", label: "Platform" } as const;

/** The main navigation. Platform owners see one more section. */
export function Navigation({ me }: { readonly me: WhoAmI }) {
  const sections = me.platform_owner ? [...SECTIONS, PLATFORM] : SECTIONS;
  return (
    <nav id="navigation" className="navigation" aria-label="Main">
      {sections.map(({ to, label }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === "/" }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
