import type { ReactElement } from "react";

import checksCss from "../features/runs/checks.css?inline";
import logCss from "../features/runs/run-log.css?inline";
import historyCss from "./history/history.css?inline";
import barCss from "./run-bar.css?inline";

const css = logCss + checksCss + barCss + historyCss;

/** The styles of runs and their lists, for the overlay; admin pages link their style sheets. */
export function RunStyles(): ReactElement {
  return <style>{css}</style>;
}
