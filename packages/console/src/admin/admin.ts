/** The admin page's script, an enhancement: the page works without it. */
import "./admin.css";
import { runStatusLabel } from "../features/runs/labels.ts";
import type { Page, Run } from "../api/types.ts";

const signIn = document.querySelector<HTMLFormElement>("form[data-sign-in]");
signIn?.addEventListener("submit", () => {
  const button = signIn.querySelector("button");
  if (!button) return;
  button.disabled = true;
  button.textContent = "Signing in…";
});
// After going back, the form would still be disabled.
addEventListener("pageshow", () => {
  const button = signIn?.querySelector("button");
  if (!button) return;
  button.disabled = false;
  button.textContent = "Sign in";
});

const rows = [...document.querySelectorAll<HTMLElement>("[data-run]")];
const announcement = document.querySelector(".news");

/** Updates the states of the listed runs while the page is visible. */
async function refresh(): Promise<void> {
  const response = await fetch(`/devconsole/runs?perPage=${Math.max(1, rows.length)}`);
  const { data } = (await response.json()) as { data: Page<Run> | null };
  if (data === null) return;
  for (const run of data.items) {
    const row = rows.find((candidate) => candidate.dataset.run === run.id);
    const word = row?.querySelector(".word");
    if (row && word) {
      row.dataset.status = run.status;
      word.textContent = runStatusLabel(run.status);
    } else if (announcement && announcement.childElementCount === 0) {
      const link = document.createElement("a");
      link.href = "/admin";
      link.textContent = "Show latest";
      announcement.append("There’s a newer change. ", link);
    }
  }
}

if (announcement) {
  setInterval(() => {
    if (!document.hidden) void refresh().catch(() => {});
  }, 10_000);
}

const dismiss = document.querySelector<HTMLButtonElement>("[data-dismiss-setup]");
if (dismiss) {
  dismiss.hidden = false;
  dismiss.addEventListener("click", () => void dismissSetup(dismiss));
}

/** Dismisses the setup checklist; if that fails, it stays and says so. */
async function dismissSetup(button: HTMLButtonElement): Promise<void> {
  const list = button.closest<HTMLElement>("[data-setup]");
  const response = await fetch("/api/adminsetup/dismiss", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ isDismissed: true }),
  }).catch(() => null);
  if (response?.ok) {
    list?.remove();
    document.querySelector<HTMLElement>("#main")?.focus();
  } else {
    const status = list?.querySelector("[role=status]");
    if (status) status.textContent = "Couldn’t hide the list. Try again.";
  }
}

if (document.body.classList.contains("panel")) {
  void import("./panel-palette.tsx").then(({ mountPalette }) => mountPalette());
}
