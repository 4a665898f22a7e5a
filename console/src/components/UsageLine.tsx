import type { ReactElement } from "react";

import type { Usage } from "../types.ts";
import { count } from "../words.ts";

/** Steps, tokens and cost of the run so far. */
export function UsageLine(props: {
  usage: Usage | null;
  model: string | null;
}): ReactElement | null {
  const { usage, model } = props;
  if (usage === null) return null;
  const tokens = usage.inputTokens + usage.outputTokens;
  const parts = [
    ...(model && model !== "none"
      ? [model === "literal" ? "Literal editor, no model" : model]
      : []),
    ...(usage.steps > 0 ? [count(usage.steps, "step")] : []),
    ...(tokens > 0 ? [count(tokens, "token")] : []),
    ...(usage.cost !== null && usage.cost > 0
      ? [`cost ${usage.cost.toFixed(usage.cost < 0.1 ? 4 : 2)}`]
      : []),
  ];
  return parts.length === 0 ? null : <p className="usage">{parts.join(" · ")}</p>;
}
