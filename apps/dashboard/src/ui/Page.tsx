import { type ReactNode, useEffect } from "react";
import { Boundary } from "./Boundary.tsx";
import "./page.css";

interface PageProps {
  /** The page's heading and the tab's title. */
  readonly title: string;
  /** A sentence below the heading. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with heading and actions. */
export function Page({ title, lead, actions, children }: PageProps) {
  useTitle(title);
  return (
    <>
      <header className="page-head">
        <div className="page-title">
          <h1>{title}</h1>
          {lead ? <p className="page-lead">{lead}</p> : null}
        </div>
        {actions ? <div className="page-actions">{actions}</div> : null}
      </header>
      {children}
    </>
  );
}

/** Sets the title of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Assay`;
  }, [title]);
}

interface PanelProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a page, labeled by its heading. */
export function Panel({ title, actions, children }: PanelProps) {
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <h2>{title}</h2>
        {actions ? <div className="panel-actions">{actions}</div> : null}
      </header>
      <Boundary>{children}</Boundary>
    </section>
  );
}

/** An empty state: why it is empty, and the next step. */
export function Empty({
  title,
  children,
  actions,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
      {actions ? <div className="empty-actions">{actions}</div> : null}
    </div>
  );
}

/** A placeholder while loading, so that the page does not jump. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => `line ${line}`).map((line) => (
        <span key={line} className="skeleton-line" />
      ))}
    </div>
  );
}
