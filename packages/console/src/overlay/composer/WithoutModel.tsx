import type { ReactElement } from "react";

import type { Mode } from "../../api/types.ts";

/** What can be sent without a model, and where to select one. */
export function WithoutModel({ mode }: { mode: Mode }): ReactElement {
  return (
    <p className="quiet without-model">
      {mode === "ask"
        ? "Questions need a language model."
        : "Without a language model, only exact instructions work, such as: replace “A” with “B”."}{" "}
      <a href="/admin/settings#model">Set up a model</a>
    </p>
  );
}
