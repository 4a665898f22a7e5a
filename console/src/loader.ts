/**
 * Adds the console's pill to a page of the site. The overlay itself is fetched when the pill,
 * the shortcut or `#console` opens it, or when a run is waiting and the pill must say so.
 */
import css from "./styles/pill.css?inline";

/** What the overlay finds in the page. */
export interface Place {
  root: ShadowRoot;
  box: HTMLElement;
  pill: HTMLButtonElement;
}

const store = { key: "vitrine.pill", place: "0.5 1" };
try {
  store.place = localStorage.getItem(store.key) ?? store.place;
} catch {}

const host = document.createElement("vitrine-console");
const root = host.attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(css);
root.adoptedStyleSheets = [sheet];
const box = document.createElement("aside");
box.ariaLabel = "Console";
const pill = document.createElement("button");
pill.className = "pill";
pill.textContent = "Console";
pill.setAttribute("aria-keyshortcuts", "Control+. Meta+.");
box.append(pill);
root.append(box);

let [x = 0.5, y = 1] = store.place.split(" ").map(Number);
/** Places the pill; at rest it snaps to one of six places (left, centre, right; top, bottom). */
function put(toX: number, toY: number, rest: boolean): void {
  const [clampedX, clampedY] = [toX, toY].map((at) => Math.min(1, Math.max(0, at || 0))) as [
    number,
    number,
  ];
  x = rest ? Math.round(clampedX * 2) / 2 : clampedX;
  y = rest ? Math.round(clampedY) : clampedY;
  pill.style.setProperty("--x", `${x}`);
  pill.style.setProperty("--y", `${y}`);
  if (!rest) return;
  try {
    localStorage.setItem(store.key, `${x} ${y}`);
  } catch {}
}
put(x, y, true);

let overlay: Promise<(open?: boolean, quiet?: boolean) => void> | undefined;
/** Loads the overlay once, then opens, closes (`false`) or toggles it (nothing). */
async function show(open?: boolean, quiet?: boolean): Promise<void> {
  overlay ??= import("./overlay.tsx").then((module) => module.mount({ root, box, pill }));
  (await overlay)(open, quiet);
}

let start: PointerEvent | undefined;
let dragged = false;
pill.addEventListener("pointerdown", (event) => {
  start = event;
  dragged = false;
  pill.setPointerCapture(event.pointerId);
});
pill.addEventListener("pointermove", ({ clientX, clientY }) => {
  if (!start) return;
  dragged ||= Math.hypot(clientX - start.clientX, clientY - start.clientY) > 6;
  if (dragged) put(clientX / innerWidth, clientY / innerHeight, false);
});
pill.addEventListener("lostpointercapture", () => {
  start = undefined;
  if (dragged) put(x, y, true);
});
pill.addEventListener("click", () => {
  if (!dragged) void show(true);
  dragged = false;
});
pill.addEventListener("keydown", ({ key }) => {
  const step = { ArrowLeft: [-0.5, 0], ArrowRight: [0.5, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
    key
  ];
  if (step) put(x + step[0]!, y + step[1]!, true);
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
  history.replaceState(history.state, "", location.pathname + location.search);
  void show(true);
}
addEventListener("hashchange", openByAddress);
document.documentElement.append(host);
openByAddress();

/** A page that follows another keeps the console as it was; a waiting run shows in the pill. */
async function resume(): Promise<void> {
  if (sessionStorage.getItem("vitrine.open") === "1") return show(true, true);
  const answer = await fetch("/devconsole/runs?perPage=5");
  const { data } = (await answer.json()) as { data: { items: { status: string }[] } | null };
  if (data?.items.some((run) => /ing$|queued|ready/.test(run.status))) await show(false);
}
void resume().catch(() => {});
