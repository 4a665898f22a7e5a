/**
 * Adds the console's launcher to a page of the site. The overlay itself is loaded when the
 * launcher, the shortcut, or `#console` opens it, or when the page is idle: while closed, it shows
 * in the launcher what waits, runs, or is wrong.
 */
import css from "./launcher.css?inline";
import type { OpenedBy, VisibilityState } from "./visibility-state.ts";

const host = document.createElement("vitrine-console");
const root = host.attachShadow({ mode: "open" });
root.innerHTML = `<style>${css}</style><aside aria-label=Console><button class=pill>Console</button></aside>`;
const box = root.lastChild as HTMLElement;
const launcher = box.firstChild as HTMLButtonElement;

// A signed-in owner has cookies, so storage is available. `put` corrects invalid values.
let [x, y] = (localStorage["vitrine.pill"] ?? "0.5 1").split(" ") as unknown as [number, number];
/**
 * Moves the launcher; at rest, it snaps to one of six places (left, center, right; top, bottom).
 */
function put(toX: number, toY: number, rest?: boolean): void {
  const inside = (value: number): number => Math.min(1, Math.max(0, value)) || 0;
  x = inside(toX);
  y = inside(toY);
  if (rest) {
    x = Math.round(x * 2) / 2;
    y = Math.round(y);
    localStorage["vitrine.pill"] = `${x} ${y}`;
  }
  launcher.style.cssText = `--x:${x};--y:${y}`;
}
put(x, y, true);

let overlay: Promise<VisibilityState["set"]> | undefined;
/** Loads the overlay, closed, unless it is loaded. */
function load(): Promise<VisibilityState["set"]> {
  return (overlay ??= import("./overlay.tsx").then((module) =>
    module.mount({ root, box, launcher }),
  ));
}
/** Opens the overlay, or toggles it (undefined). */
async function show(open?: boolean, by?: OpenedBy): Promise<void> {
  try {
    (await load())(open, by);
  } catch {
    // An update of the platform has replaced the file, or there is no connection.
    launcher.textContent = "Reload the page";
  }
}

const on = launcher.addEventListener.bind(launcher);
let start: PointerEvent | undefined;
let dragged = false;
on("pointerdown", (event) => {
  start = event;
  dragged = false;
  launcher.setPointerCapture(event.pointerId);
});
on("pointermove", ({ clientX, clientY }) => {
  if (!start) return;
  dragged ||= Math.hypot(clientX - start.clientX, clientY - start.clientY) > 6;
  if (dragged) put(clientX / innerWidth, clientY / innerHeight);
});
// Otherwise, the browser drags a link under the launcher once the pointer leaves the launcher.
on("mousedown", (event) => event.preventDefault());
on("lostpointercapture", () => {
  start = undefined;
  if (dragged) put(x, y, true);
});
on("click", () => {
  if (!dragged) void show(true);
  dragged = false;
});
on("keydown", ({ key }) => {
  const across = +(key === "ArrowRight") - +(key === "ArrowLeft");
  const down = +(key === "ArrowDown") - +(key === "ArrowUp");
  // Any other key leaves it where it is.
  put(x + across / 2, y + down, true);
});

addEventListener(
  "keydown",
  (event) => {
    if (event.key !== "." || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void show();
  },
  true,
);

function openByAddress(): void {
  if (location.hash === "#console") void show(true);
}
addEventListener("hashchange", openByAddress);
document.documentElement.append(host);
openByAddress();

// The next page restores the console's state.
if (sessionStorage["vitrine.open"] > 0) void show(true, "resume");
// Safari has no requestIdleCallback. A failed load is reported when the console is opened.
else
  (globalThis.requestIdleCallback ?? setTimeout)(
    () => void load().catch(() => (overlay = undefined)),
  );
