import { type ReactElement, useEffect, useEffectEvent, useState } from "react";

import type { PrivateRefusal, RunStatus } from "../../api/types.ts";
import { useAction } from "../../api/useAction.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { ErrorState } from "../errors/ErrorState.tsx";
import { downloadFile } from "../preview/download-file.ts";
import { frameMessages } from "../preview/frame-protocol.ts";
import { openPath } from "../preview/open-path.ts";
import { ConfirmPrivate, privateTexts } from "../publish/ConfirmPrivate.tsx";
import { runStatusLabel } from "../runs/labels.ts";
import { useRunsApi } from "../runs/runs-api.ts";
import { type LiveRun, useRun } from "../runs/useRun.ts";
import { labelOf } from "../pages/values.ts";
import { StepLinks, type StepProps } from "./StepFrame.tsx";
import { type SetupView, useStartSetup } from "./useSetup.ts";

/**
 * The site as it would be. Its scripts run with an opaque origin, so links are followed from here.
 */
function Preview({ address }: { address: string }): ReactElement {
  const [frame, setFrame] = useState<HTMLIFrameElement | null>(null);
  useEffect(() => {
    if (frame === null) return;
    const link = frameMessages(frame, {
      link: (message) => openPath(frame, address, message.path),
      file: (message) => downloadFile(address, message.path),
    });
    return () => link.close();
  }, [frame, address]);
  return (
    <>
      <iframe
        ref={setFrame}
        className="setup-preview"
        title="Preview of your site"
        src={address}
        sandbox="allow-scripts"
      />
      <p>
        <a href={address} target="_blank" rel="noopener">
          Open the preview in a new tab
        </a>
      </p>
    </>
  );
}

/** Publishes the run, with the confirmation of private text. */
function PublishButtons({ runId, live }: { runId: string; live: LiveRun }): ReactElement {
  const api = useRunsApi();
  const action = useAction();
  const [isAsking, setAsking] = useState(true);
  const publish = (confirmPrivate?: string): void => {
    setAsking(true);
    action.perform("publish", async () =>
      live.update(await api.publish(runId, confirmPrivate === undefined ? {} : { confirmPrivate })),
    );
  };
  const isPrivate = action.error?.code === "private_text";
  const refusal = isPrivate ? (action.error?.details as PrivateRefusal) : null;
  return (
    <>
      <ErrorState what="Couldn’t publish the site." error={isPrivate ? null : action.error} />
      <div className="actions">
        <Button
          disabled={action.pending !== null}
          onClick={() =>
            action.perform("discard", async () => live.update(await api.discard(runId)))
          }
        >
          Discard preview
        </Button>
        <Button variant="primary" busy={action.pending === "publish"} onClick={() => publish()}>
          Publish site
        </Button>
      </div>
      {refusal && isAsking && (
        <ConfirmPrivate
          texts={privateTexts(refusal)}
          onKeep={() => setAsking(false)}
          onPublish={() => publish(refusal.fingerprint)}
        />
      )}
    </>
  );
}

function useStatusListener(
  status: RunStatus | null,
  onStatus: ((status: RunStatus) => void) | undefined,
): void {
  const tell = useEffectEvent((now: RunStatus) => onStatus?.(now));
  useEffect(() => {
    if (status !== null) tell(status);
  }, [status]);
}

/** The run of a form from its beginning to the live site. */
export function SetupRun(props: {
  runId: string;
  /** Builds a new preview; without it, there is no such button. */
  onAgain?(): void;
  /** Told how the run stands, each time that changes. */
  onStatus?(status: RunStatus): void;
  busy: boolean;
}): ReactElement {
  const { runId, onAgain, onStatus, busy } = props;
  const live = useRun(runId);
  const { status, previewUrl, error } = live.view;
  useStatusListener(status, onStatus);
  const again = onAgain && (
    <div className="actions">
      <Button busy={busy} onClick={onAgain}>
        Build a new preview
      </Button>
    </div>
  );
  if (live.error) return <ErrorState what="Couldn’t load the preview." error={live.error} />;
  if (status === "published") {
    return (
      <Notice kind="info" title="Your site is live.">
        <p>
          <a href="/">Open your site</a> or <a href="/admin/projects/new">add your first project</a>
          .
        </p>
      </Notice>
    );
  }
  if (status === "preview_ready" && previewUrl !== null) {
    return (
      <>
        <Preview address={previewUrl} />
        <PublishButtons runId={runId} live={live} />
        {again}
      </>
    );
  }
  if (status === "discarded") {
    return (
      <>
        <p role="status">
          {plainText(live.run?.message || "The preview was discarded.")} Nothing has changed on the
          live site.
        </p>
        {again}
      </>
    );
  }
  if (status === "failed" || status === "cancelled" || status === "interrupted") {
    return (
      <>
        <Notice kind="error" title="Couldn’t build the preview.">
          {plainText(error ?? "Try again.")}
        </Notice>
        {again}
      </>
    );
  }
  return <p role="status">{status === null ? "Loading…" : `${runStatusLabel(status)}…`}</p>;
}

/** The pages of the texts that the setup writes, in their order. */
function textsByPage(texts: SetupView["texts"]): [page: string, texts: string[]][] {
  const pages = new Map<string, string[]>();
  for (const { file, text } of texts) {
    const page = labelOf(file.replace(/^.*\//, "").replace(/\.json$/, ""));
    pages.set(page, [...(pages.get(page) ?? []), text]);
  }
  return [...pages];
}

/** Shows the texts that visitors read and the owner hasn't written, with where to change them. */
function WrittenTexts({ view }: { view: SetupView }): ReactElement | null {
  const { texts, language } = view;
  if (texts.length === 0) return null;
  const isOther = !/^en\b/i.test(language);
  return (
    <>
      {isOther && (
        <Notice
          kind="warn"
          title={`Your site’s language is “${language}”, but these texts are in English.`}
        >
          <p>
            Vitrine writes headings and labels in English only. Read the list below, and translate
            them under Pages after publishing.
          </p>
        </Notice>
      )}
      <details className="setup-texts">
        <summary>Headings and labels that aren’t from your answers ({texts.length})</summary>
        <p>
          The site needs these texts, and they’re in English. After publishing, you can change each
          of them under <a href="/admin/pages">Pages</a>.
        </p>
        {textsByPage(texts).map(([page, own]) => (
          <section key={page} aria-label={page}>
            <h3>{page}</h3>
            <ul>
              {own.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </section>
        ))}
      </details>
    </>
  );
}

/** The last step: a preview of the whole site, and publishing it. */
export function PublishStep({ view, go }: StepProps & { view: SetupView }): ReactElement {
  const start = useStartSetup();
  const runId = start.data?.runId ?? view.runId;
  return (
    <>
      <p>
        The preview shows your site with your answers. The sample person’s texts, prices, and
        projects are gone, and anything you left empty isn’t shown.
      </p>
      <WrittenTexts view={view} />
      <ErrorState what="Couldn’t build the preview." error={start.error} />
      {runId === null ? (
        <div className="actions">
          <Button variant="primary" busy={start.isPending} onClick={() => start.mutate()}>
            Build preview
          </Button>
        </div>
      ) : (
        <SetupRun key={runId} runId={runId} busy={start.isPending} onAgain={() => start.mutate()} />
      )}
      <StepLinks step="publish" go={go} />
    </>
  );
}
