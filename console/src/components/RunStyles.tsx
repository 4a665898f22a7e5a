import type { ReactElement } from "react";

import checksCss from "../styles/checks.css?inline";
import historyCss from "../styles/history.css?inline";
import logCss from "../styles/log.css?inline";

const css = logCss + checksCss + historyCss;

/** The looks of runs and their lists, for the overlay; the admin pages link their style sheets. */
export function RunStyles(): ReactElement {
  return <style>{css}</style>;
}
