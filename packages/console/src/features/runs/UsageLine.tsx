import type { ReactElement } from "react";

import type { Usage } from "../../api/types.ts";
import { formatCount } from "../../ui/format.ts";
import { usageLabels } from "./labels.ts";

/** Steps, tokens, and cost of the run so far. */
export function UsageLine(props: {
  usage: Usage | null;
  model: string | null;
}): ReactElement | null {
  const { usage, model } = props;
  if (usage === null) return null;
  const parts = [
    ...(model && model !== "none"
      ? [model === "literal" ? "Literal editor, no model" : model]
      : []),
    ...(usage.steps > 0 ? [formatCount(usage.steps, "step")] : []),
    ...usageLabels(usage.inputTokens + usage.outputTokens, usage.cost, usage.currency),
  ];
  return parts.length === 0 ? null : <p className="usage">{parts.join("\u00a0· ")}</p>;
}
