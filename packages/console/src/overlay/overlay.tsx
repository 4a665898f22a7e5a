import { createRoot } from "react-dom/client";

import baseCss from "../ui/styles/base.css?inline";
import dockCss from "../ui/styles/dock.css?inline";
import tokensCss from "../ui/styles/tokens.css?inline";
import { App } from "./App.tsx";
import composeCss from "./composer/composer.css?inline";
import type { MountPoint } from "./mount-point.ts";
import { watchVirtualKeyboard } from "./virtual-keyboard.ts";
import { createVisibilityState, type VisibilityState } from "./visibility-state.ts";

/** In cascade order, for all parts including those loaded later. */
const sheets = [baseCss, tokensCss, dockCss, composeCss];

/** Whether the address opens the console; afterwards, the fragment is removed. */
function takeAddress(): boolean {
  if (location.hash !== "#console") return false;
  // An empty address is this one without its fragment.
  history.replaceState(null, "", " ");
  return true;
}

/**
 * Mounts the overlay next to the launcher in the loader's shadow root; returns what opens and
 * closes it.
 */
export function mount(place: MountPoint): VisibilityState["set"] {
  for (const css of sheets) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    place.root.adoptedStyleSheets.push(sheet);
  }
  const container = document.createElement("div");
  place.box.append(container);
  // Keys typed here aren't shortcuts of the page.
  for (const type of ["keydown", "keyup", "keypress"]) {
    container.addEventListener(type, (event) => event.stopPropagation());
  }
  watchVirtualKeyboard(place.box, visualViewport);
  const opener = createVisibilityState();
  createRoot(container).render(<App place={place} opener={opener} />);
  return (open, by = open === undefined ? "keys" : "pill") =>
    opener.set(open, takeAddress() ? "address" : by);
}
