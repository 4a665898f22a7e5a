import "../settings/settings.css";
import "./setup.css";

import { type ReactElement, useEffect, useRef, useState } from "react";

import { readChoice, useAddress } from "../../ui/search-params.ts";
import { PageHeader } from "../../ui/PageHeader.tsx";
import { QueryBody } from "../queries/QueryBody.tsx";
import { AboutStep } from "./AboutStep.tsx";
import { MailStep, ModelStep, StartStep } from "./PlainSteps.tsx";
import { PublishStep } from "./PublishStep.tsx";
import { ServicesStep } from "./ServicesStep.tsx";
import { isAnswered, nextOpenStep, type StepId, stepIds, steps } from "./steps.ts";
import { ThemeStep } from "./ThemeStep.tsx";
import { type SetupView, useSetup } from "./useSetup.ts";
import { YouStep } from "./YouStep.tsx";

function StepList(props: { view: SetupView; step: StepId; go(step: StepId): void }): ReactElement {
  const { view, step, go } = props;
  return (
    <nav className="setup-steps" aria-label="Setup steps">
      <ol>
        {steps.map(({ id, title }) => (
          <li key={id} data-done={isAnswered(id, view.answers)}>
            <a
              href={`?step=${id}`}
              aria-current={id === step ? "step" : undefined}
              onClick={(event) => {
                event.preventDefault();
                go(id);
              }}
            >
              {title}
              {isAnswered(id, view.answers) && <span className="unseen"> (answered)</span>}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

function StepBody(props: { view: SetupView; step: StepId; go(step: StepId): void }): ReactElement {
  const { step, ...rest } = props;
  switch (step) {
    case "start":
      return <StartStep go={rest.go} />;
    case "you":
      return <YouStep {...rest} />;
    case "about":
      return <AboutStep {...rest} />;
    case "services":
      return <ServicesStep {...rest} />;
    case "theme":
      return <ThemeStep {...rest} />;
    case "model":
      return <ModelStep go={rest.go} />;
    case "mail":
      return <MailStep go={rest.go} />;
    case "publish":
      return <PublishStep {...rest} />;
  }
}

/** One step at a time, named in the address, so that Back, reloading, and links work. */
function Steps({ view }: { view: SetupView }): ReactElement {
  const address = useAddress();
  // The step where the owner stopped, determined when the page opens: saving an answer must not
  // change it.
  const [first] = useState(() => nextOpenStep(view.answers));
  const step = readChoice(address.params, "step", stepIds) ?? first;
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(step);
  useEffect(() => {
    if (shown.current === step) return;
    shown.current = step;
    heading.current?.focus();
    scrollTo(0, 0);
  }, [step]);
  const go = (next: StepId): void => address.change({ step: next });
  const number = stepIds.indexOf(step) + 1;
  return (
    <div className="setup">
      <StepList view={view} step={step} go={go} />
      <section className="setup-step" aria-labelledby="step-title">
        <p className="muted">
          Step {number} of {steps.length}
        </p>
        <h2 id="step-title" ref={heading} tabIndex={-1}>
          {steps[number - 1]?.title}
        </h2>
        <StepBody key={step} view={view} step={step} go={go} />
      </section>
    </div>
  );
}

/** The setup of a new site: short steps that can be skipped, interrupted, and continued. */
export function SetupPage(): ReactElement {
  const setup = useSetup();
  return (
    <div className="page settings">
      <PageHeader title="Set up your site" />
      <QueryBody
        query={setup}
        what="the setup"
        skeleton={{ count: 3, shape: "row", label: "Loading the setup…" }}
      >
        {(view) => <Steps view={view} />}
      </QueryBody>
    </div>
  );
}
