import { type ReactElement, useLayoutEffect, useRef, useState } from "react";

import type { Session } from "../hooks/useSession.ts";

/** Lies over the console when the server no longer knows the owner; what was typed stays below. */
export function SessionEnded({ session }: { session: Session }): ReactElement {
  const link = useRef<HTMLAnchorElement>(null);
  const [answer, setAnswer] = useState("");
  // Before it is painted what is below still has the focus, and has it again afterwards.
  useLayoutEffect(() => {
    const root = link.current?.getRootNode() as ShadowRoot;
    const before = root.activeElement;
    link.current?.focus();
    return () => {
      if (before instanceof HTMLElement) requestAnimationFrame(() => before.focus());
    };
  }, []);
  async function goOn(): Promise<void> {
    setAnswer("");
    if (!(await session.check())) setAnswer("Not signed in yet.");
  }
  return (
    <div className="over" role="alertdialog" aria-labelledby="ended" aria-describedby="ended-text">
      <h2 id="ended">Your session has ended</h2>
      <p id="ended-text">
        Sign in in a new tab, then come back: your text is kept and the run goes on here.
      </p>
      <div className="actions">
        <a ref={link} className="button primary" href="/admin" target="_blank" rel="noopener">
          Sign in
        </a>
        <button type="button" className="button" onClick={() => void goOn()}>
          I have signed in
        </button>
      </div>
      <p role="status">{answer}</p>
    </div>
  );
}
