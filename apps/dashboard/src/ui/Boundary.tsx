import { Component, type ReactNode } from "react";
import { Button } from "./Button.tsx";
import { Notice } from "./Notice.tsx";

interface BoundaryProps {
  readonly children: ReactNode;
}

/** Contains the failure of a part of a page, so that the rest stays. */
export class Boundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const error: unknown = this.state.error;
    if (error === null) return this.props.children;
    return (
      <Notice
        tone="bad"
        role="alert"
        title="This part of the page could not be shown"
        actions={<Button onPress={() => this.setState({ error: null })}>Try again</Button>}
      >
        <p>{error instanceof Error ? error.message : String(error)}</p>
      </Notice>
    );
  }
}
