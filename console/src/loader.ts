/**
 * Adds the console's pill to a page of the site. The overlay itself is fetched when the pill,
 * the shortcut or `#console` opens it, or when a run is waiting and the pill must say so.
 */
import css from "./styles/pill.css?inline";

const create = document.createElement.bind(document);
const host = create("vitrine-console");
const root = host.attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
root.adoptedStyleSheets = [sheet];
const box = create("aside");
box.ariaLabel = "Console";
const pill = create("button");
pill.className = "pill";
pill.textContent = "Console";
box.append(pill);
root.append(box);

// A signed-in owner has cookies, and so has storage.
let [x = 0.5, y = 1] = (localStorage["vitrine.pill"] ?? "0.5 1").split(" ").map(Number);
/** Places the pill; at rest it snaps to one of six places (left, centre, right; top, bottom). */
function put(toX: number, toY: number, rest: boolean): void {
  x = Math.min(1, Math.max(0, toX)) || 0;
  y = Math.min(1, Math.max(0, toY)) || 0;
  if (rest) {
    x = Math.round(x * 2) / 2;
    y = Math.round(y);
    localStorage["vitrine.pill"] = `${x} ${y}`;
  }
  pill.style.cssText = `--x:${x};--y:${y}`;
}
put(x, y, true);

let overlay: Promise<(open?: boolean, quiet?: boolean) => void> | undefined;
/** Loads the overlay once, then opens, closes (`false`) or toggles it (nothing). */
async function show(open?: boolean, quiet?: boolean): Promise<void> {
  overlay ??= import("./overlay.tsx").then((module) => module.mount({ root, box, pill }));
  try {
    (await overlay)(open, quiet);
  } catch {
    // A release of the platform has replaced the file, or there is no connection.
    pill.textContent = "Reload the page";
  }
}

const on = pill.addEventListener.bind(pill);
let start: PointerEvent | undefined;
let dragged = false;
on("pointerdown", (event) => {
  start = event;
  dragged = false;
  pill.setPointerCapture(event.pointerId);
});
on("pointermove", ({ clientX, clientY }) => {
  if (!start) return;
  dragged ||= Math.hypot(clientX - start.clientX, clientY - start.clientY) > 6;
  if (dragged) put(clientX / innerWidth, clientY / innerHeight, false);
});
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
  if (across || down) put(x + across / 2, y + down, true);
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
  if (location.hash !== "#console") return;
  history.replaceState(null, "", location.pathname + location.search);
  void show(true);
}
addEventListener("hashchange", openByAddress);
document.documentElement.append(host);
openByAddress();

/** A page that follows another keeps the console as it was; a waiting run shows in the pill. */
async function resume(): Promise<void> {
  if (sessionStorage["vitrine.open"] > 0) return show(true, true);
  const answer = await fetch("/devconsole/runs?perPage=5");
  // Inside an instruction the quotes would be escaped: this finds states only.
  const waits = /"status":"(\w+ing|queued|preview_ready)"/.test(await answer.text());
  // Meanwhile its address may have opened it.
  if (waits && !overlay) await show(false);
}
void resume().catch(() => {});
