import { JSDOM, VirtualConsole } from "jsdom";
import type { A11yResult } from "../browser/visit.ts";
import { bundleText } from "./bundle.ts";
import type { Collected, CollectOptions } from "./raw.ts";
import { mergeIssues } from "./merge.ts";
import { ownRules } from "./own-rules.ts";
import { engineNames } from "./rulebook.ts";
import {
  disabledAccesslintRules,
  disabledAxeRules,
  enabledAxeRules,
  byLayout,
} from "./rule-trust.ts";

const laidOut = new Set<string>([
  ...byLayout,
  ...ownRules.filter((rule) => rule.needsLayout).map(({ id }) => id),
]);

const options: CollectOptions = {
  axeOff: [...disabledAxeRules, ...byLayout.filter((id) => !id.includes("/"))],
  axeOn: enabledAxeRules,
  accesslintOff: [...disabledAccesslintRules, ...byLayout.filter((id) => id.includes("/"))],
  accesslintAaa: false,
  ownOff: [...laidOut],
  axeChecks: {},
  bothContrasts: false,
  vetoes: true,
  inFrame: false,
};

/**
 * Checks a page's markup without a browser. There is no layout, and the page's scripts don't run:
 * checks that need these are reported as not checked.
 */
export async function runInJsdom(html: string, url: string): Promise<A11yResult> {
  const { window } = new JSDOM(html, {
    url,
    runScripts: "outside-only",
    pretendToBeVisual: true,
    // Errors in the page's style sheets don't matter here.
    virtualConsole: new VirtualConsole(),
  });
  try {
    window.eval(bundleText());
    const reported = await window.eval(
      `__vitrine(${JSON.stringify(options)}).then(JSON.stringify)`,
    );
    const collected = JSON.parse(reported as string) as Collected;
    return {
      environment: "jsdom",
      engines: engineNames,
      issues: mergeIssues(collected),
      notChecked: [
        "a11y.contrast: no browser available",
        ...[...laidOut]
          .filter((id) => id !== "color-contrast" && !id.includes("/"))
          .map((id) => `a11y.axe.${id}: no browser available`),
        ...collected.failures.map((failure) => `a11y.axe: ${failure}`),
      ],
    };
  } finally {
    window.close();
  }
}
