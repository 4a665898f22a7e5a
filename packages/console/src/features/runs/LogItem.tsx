import type { ReactElement } from "react";

import type { Folds } from "../../ui/Disclosure.tsx";
import { MarkdownText } from "../markdown/MarkdownText.tsx";
import { BuildStep } from "./BuildStep.tsx";
import { ChecksStep } from "./ChecksStep.tsx";
import { withoutLastLines } from "./last-lines.ts";
import type { Item } from "./run-view.ts";
import { Step } from "./Step.tsx";
import { ExploreStep, ToolStep } from "./ToolStep.tsx";
import { UserMessage } from "./UserMessage.tsx";

/** An entry of a run's log. */
export function LogItem(props: { item: Item; now: number; diffs: Folds }): ReactElement {
  const { item, now } = props;
  switch (item.kind) {
    case "text":
      return <MarkdownText className="text" text={withoutLastLines(item.text)} />;
    case "message":
      return <UserMessage text={item.text} />;
    case "checks":
      return <ChecksStep item={item} now={now} />;
    case "explore":
      return <ExploreStep item={item} now={now} />;
    case "build":
      return <BuildStep item={item} now={now} />;
    case "note":
      return <Step state="failed" title={item.text} took={null} />;
    case "tool":
      return <ToolStep item={item} now={now} diffs={props.diffs} />;
  }
}
