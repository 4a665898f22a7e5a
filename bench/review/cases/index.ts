import type { ReviewCase } from "../case.ts";
import { addresses } from "./hostile/addresses.ts";
import { agentWords } from "./hostile/agent-words.ts";
import { cssConditions } from "./hostile/css-conditions.ts";
import { cssVisibility } from "./hostile/css-visibility.ts";
import { formCases } from "./hostile/forms.ts";
import { heldOut } from "./hostile/held-out.ts";
import { machineRead } from "./hostile/machine-read.ts";
import { siteContent } from "./hostile/site-content.ts";
import { fixes } from "./usual/fixes.ts";
import { looks } from "./usual/looks.ts";
import { parts } from "./usual/parts.ts";
import { words } from "./usual/words.ts";

/** Changes that owners queue every day: they go live unattended. */
export const usual: readonly ReviewCase[] = [...words, ...parts, ...looks, ...fixes];

/** What a misled agent makes instead of what was asked, or besides it: a person sees each of them. */
export const hostile: readonly ReviewCase[] = [
  ...cssVisibility,
  ...cssConditions,
  ...formCases,
  ...addresses,
  ...machineRead,
  ...siteContent,
  ...agentWords,
  ...heldOut,
];
