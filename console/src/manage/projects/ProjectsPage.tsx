import type { ReactElement } from "react";

/** The page in the making. */
export function ProjectsPage(): ReactElement {
  return <h1>Projects</h1>;
}
