import { Component, type ReactNode } from "react";

import { Button } from "../ui/Button.tsx";

/** If a part of the console fails, says so and offers to restart it; the page isn't affected. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="dock fallen" role="alert">
        <p>The console stopped. Your site and runs aren’t affected.</p>
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </div>
    );
  }
}
