/**
 * Resolves when the tab is visible: a hidden tab keeps no connection, because browsers allow six
 * per site.
 */
export function whenVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    const controller = new AbortController();
    const done = (): void => {
      controller.abort();
      resolve();
    };
    document.addEventListener("visibilitychange", done, { signal: controller.signal });
    signal.addEventListener("abort", done, { signal: controller.signal });
  });
}

/** A signal that aborts with the given one or when the tab is hidden. */
export function whileVisible(signal: AbortSignal): AbortSignal {
  const hidden = new AbortController();
  const onChange = (): void => {
    if (document.hidden) hidden.abort();
  };
  document.addEventListener("visibilitychange", onChange, { signal });
  return AbortSignal.any([signal, hidden.signal]);
}

/** Waits until the time is up, `signal` aborts, or `wake` calls the function it gets. */
export function pause(
  milliseconds: number,
  signal: AbortSignal,
  wake?: (resolve: () => void) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    wake?.(end);
    signal.addEventListener("abort", end);
  });
}
