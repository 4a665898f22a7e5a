import { tabStorage } from "../ui/storage.ts";

/** The run for which this tab has reloaded its page. */
const key = "reloaded";

/**
 * Reloads the page under the console because a run has changed the live site, once per run. The
 * console's state is restored.
 */
export function reloadPage(runId: string): void {
  if (tabStorage.get(key)?.startsWith(runId)) return;
  const isFocused = document.activeElement?.shadowRoot?.activeElement ?? null;
  tabStorage.set(key, isFocused === null ? runId : `${runId} focused`);
  location.reload();
}

/** Whether the console had the focus when the page was reloaded for this run; true only once. */
export function takeReturn(runId: string): boolean {
  const isReturn = tabStorage.get(key) === `${runId} focused`;
  if (isReturn) tabStorage.set(key, runId);
  return isReturn;
}
