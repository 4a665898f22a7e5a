import { Component, type ReactNode } from "react";

/** When a part of the console fails, says so and offers a new start; the page is not affected. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="dock fallen" role="alert">
        <p>The console has stopped working. The site and your runs are not affected.</p>
        <button type="button" className="button" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}
