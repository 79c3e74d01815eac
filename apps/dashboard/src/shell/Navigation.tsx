import { Link } from "@tanstack/react-router";
import {
  Building2,
  ChartColumn,
  FlaskConical,
  Gauge,
  KeyRound,
  MessagesSquare,
  Repeat2,
  Scale,
  ScrollText,
  Settings,
} from "lucide-react";
import type { WhoAmI } from "../api/types.ts";

/** The main pages, in the order of the navigation. */
export const SECTIONS = [
  { to: "/", label: "Experiments", icon: FlaskConical },
  { to: "/calls", label: "Calls", icon: MessagesSquare },
  { to: "/judges", label: "Judges", icon: Scale },
  { to: "/rehearsals", label: "Rehearsals", icon: Repeat2 },
  { to: "/catalogue", label: "Metrics", icon: Gauge },
  { to: "/usage", label: "Usage & plan", icon: ChartColumn },
  { to: "/keys", label: "Keys & webhooks", icon: KeyRound },
  { to: "/audit", label: "Audit", icon: ScrollText },
  { to: "/settings", label: "Settings", icon: Settings },
] as const;

/** The page of platform owners. */
export const PLATFORM = { to: "/platform", label: "Platform", icon: Building2 } as const;

/** The main navigation. Platform owners see one more section. */
export function Navigation({ me }: { readonly me: WhoAmI }) {
  const sections = me.platform_owner ? [...SECTIONS, PLATFORM] : SECTIONS;
  return (
    <nav id="navigation" className="navigation" aria-label="Main">
      {sections.map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === "/" }}>
          <Icon size={16} aria-hidden="true" />
          {label}
        </Link>
      ))}
    </nav>
  );
}
