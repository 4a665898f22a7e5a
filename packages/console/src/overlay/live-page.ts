import { tabStorage } from "../ui/storage.ts";

/** The run for which this tab has loaded its page again. */
const key = "reloaded";

/**
 * Loads the page under the console again, because a run has changed what is live: once for each
 * run. The console comes back as it was left.
 */
export function reloadPage(runId: string): void {
  if (tabStorage.get(key)?.startsWith(runId)) return;
  const isFocused = document.activeElement?.shadowRoot?.activeElement ?? null;
  tabStorage.set(key, isFocused === null ? runId : `${runId} focused`);
  location.reload();
}

/** Whether the focus was in the console when the page was loaded again for this run; told once. */
export function takeReturn(runId: string): boolean {
  const isReturn = tabStorage.get(key) === `${runId} focused`;
  if (isReturn) tabStorage.set(key, runId);
  return isReturn;
}
