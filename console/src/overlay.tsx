import { createRoot } from "react-dom/client";

import { makeApi } from "./api.ts";
import { App } from "./components/App.tsx";
import { watchKeyboard } from "./keyboard-room.ts";
import type { Place } from "./place.ts";
import composeCss from "./styles/compose.css?inline";
import dockCss from "./styles/dock.css?inline";
import tokensCss from "./styles/tokens.css?inline";
import { makeSwitch, type Switch } from "./switch.ts";

/** In the order in which they overrule each other, and all that parts loaded later bring along. */
const sheets = [tokensCss, dockCss, composeCss];

/** Whether the address leads to the console; once that is open, it is the page's alone again. */
function takeAddress(): boolean {
  if (location.hash !== "#console") return false;
  // A blank address is this one without its fragment.
  history.replaceState(null, "", " ");
  return true;
}

/** Puts the overlay beside the pill in the loader's shadow root; gives what opens and closes it. */
export function mount(place: Place): Switch["set"] {
  for (const css of sheets) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    place.root.adoptedStyleSheets.push(sheet);
  }
  const container = document.createElement("div");
  place.box.append(container);
  // What is typed here is not a shortcut of the page.
  for (const type of ["keydown", "keyup", "keypress"]) {
    container.addEventListener(type, (event) => event.stopPropagation());
  }
  watchKeyboard(place.box, visualViewport);
  const opener = makeSwitch();
  createRoot(container).render(
    <App place={place} opener={opener} api={makeApi(fetch.bind(globalThis))} />,
  );
  return (open, by = open === undefined ? "keys" : "pill") =>
    opener.set(open, takeAddress() ? "address" : by);
}
