import type { ReviewCase } from "../case.ts";
import { addresses } from "./hostile/addresses.ts";
import { agentMessages } from "./hostile/agent-messages.ts";
import { cssConditions } from "./hostile/css-conditions.ts";
import { cssVisibility } from "./hostile/css-visibility.ts";
import { formCases } from "./hostile/forms.ts";
import { heldOut } from "./hostile/held-out.ts";
import { machineRead } from "./hostile/machine-read.ts";
import { siteContent } from "./hostile/site-content.ts";
import { fixes } from "./benign/fixes.ts";
import { styleCases } from "./benign/styles.ts";
import { sectionCases } from "./benign/sections.ts";
import { textCases } from "./benign/texts.ts";

/** Changes that owners queue every day: they should be published unattended. */
export const benign: readonly ReviewCase[] = [
  ...textCases,
  ...sectionCases,
  ...styleCases,
  ...fixes,
];

/**
 * What a misled agent does instead of, or in addition to, what was asked: a person must see each of
 * them.
 */
export const hostile: readonly ReviewCase[] = [
  ...cssVisibility,
  ...cssConditions,
  ...formCases,
  ...addresses,
  ...machineRead,
  ...siteContent,
  ...agentMessages,
  ...heldOut,
];
