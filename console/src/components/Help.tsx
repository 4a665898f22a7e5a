import { lazy, type ReactElement, Suspense } from "react";

const Dialog = lazy(async () => ({ default: (await import("./HelpDialog.tsx")).HelpDialog }));

/** The keys of the console; loaded when they are first asked for. */
export function Help({ onClose }: { onClose(): void }): ReactElement {
  return (
    <Suspense>
      <Dialog onClose={onClose} />
    </Suspense>
  );
}
