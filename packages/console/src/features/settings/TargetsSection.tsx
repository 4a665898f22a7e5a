import "./targets.css";

import { type ReactElement, useState } from "react";

import type { TargetKind } from "../../../../server/src/features/publish-targets/schema.ts";
import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { Url } from "../../ui/Url.tsx";
import { CopyButton } from "../clipboard/CopyButton.tsx";
import { ErrorState } from "../errors/ErrorState.tsx";
import { RemovalDialog } from "../forms/DeleteDialog.tsx";
import { Time } from "../time/Time.tsx";
import { SettingSection } from "./SettingsSection.tsx";
import { TargetDialog } from "./TargetDialog.tsx";
import { addLabels, kindLabels, placeOf, sentLabel, statusLabel } from "./target-labels.ts";
import {
  type Target,
  type TargetList,
  useRemoveTarget,
  useTargetActions,
  useTargets,
} from "./useTargets.ts";

const maxTargets = 10;
const kinds = Object.keys(kindLabels) as TargetKind[];

function Failure({ target }: { target: Target }): ReactElement | null {
  const { error, nextAttemptAt, status } = target;
  if (error === null || status === "paused") return null;
  return (
    <Notice kind="error" quiet title={error}>
      <p>
        {nextAttemptAt === null ? (
          "Vitrine has stopped trying. Fix the problem, then send again."
        ) : (
          <>
            Next attempt: <Time iso={nextAttemptAt} />
          </>
        )}
      </p>
    </Notice>
  );
}

function Facts({ target }: { target: Target }): ReactElement {
  const { siteUrl, sent, publicKey } = target;
  return (
    <dl className="provider-facts">
      <div>
        <dt>{kindLabels[target.kind]}</dt>
        <dd>{placeOf(target)}</dd>
      </div>
      {siteUrl !== null && (
        <div>
          <dt>Copy</dt>
          <dd>
            <a href={siteUrl} rel="noreferrer" target="_blank">
              <Url address={siteUrl} />
            </a>
          </dd>
        </div>
      )}
      <div>
        <dt>Last sent</dt>
        <dd>
          {sent === null ? (
            "Never"
          ) : (
            <>
              {sentLabel(sent)}, <Time iso={sent.at} />
            </>
          )}
        </dd>
      </div>
      {publicKey !== null && (
        <div>
          <dt>Public key</dt>
          <dd>
            <code>{publicKey}</code> <CopyButton text={publicKey} what="The public key" />
            <p className="hint">
              {target.kind === "git"
                ? "Add it to the repository as a deploy key with write access."
                : "Add it to ~/.ssh/authorized_keys of the user on the server."}
            </p>
          </dd>
        </div>
      )}
    </dl>
  );
}

interface RowProps {
  target: Target;
  onEdit(target: Target): void;
  onRemove(target: Target): void;
}

function TargetRow({ target, onEdit, onRemove }: RowProps): ReactElement {
  const { name, status } = target;
  const { pause, send, test } = useTargetActions(target);
  const isPaused = status === "paused";
  const isUpToDate = status === "up_to_date";
  return (
    <li className="provider" data-target={target.id} data-status={status}>
      <h3>{name}</h3>
      <p className="target-status">
        {statusLabel(target)}
        {status === "sending" && target.totalFiles > 0 && (
          <progress
            value={target.doneFiles}
            max={target.totalFiles}
            aria-label={`Files sent to ${name}`}
          />
        )}
      </p>
      <Failure target={target} />
      <Facts target={target} />
      {test.data && <Notice kind="info" title={test.data.found} />}
      <ErrorState what="The connection doesn’t work." error={test.error} />
      <ErrorState what="Couldn’t change it." error={pause.error ?? send.error} />
      <div className="actions">
        <Button
          busy={send.isPending}
          inert={status === "sending"}
          label={`${isUpToDate ? "Send everything again" : "Send now"} to ${name}`}
          onClick={() => send.mutate({ everything: isUpToDate })}
        >
          {isUpToDate ? "Send everything again" : "Send now"}
        </Button>
        <Button busy={test.isPending} label={`Test ${name}`} onClick={() => test.mutate()}>
          Test
        </Button>
        <Button
          busy={pause.isPending}
          label={`${isPaused ? "Resume" : "Pause"} ${name}`}
          onClick={() => pause.mutate(!isPaused)}
        >
          {isPaused ? "Resume" : "Pause"}
        </Button>
        <Button icon="edit" label={`Edit ${name}`} onClick={() => onEdit(target)}>
          Edit
        </Button>
        <Button
          variant="bare"
          icon="trash"
          label={`Remove ${name}`}
          onClick={() => onRemove(target)}
        />
      </div>
    </li>
  );
}

function RemoveTarget({ target, onClose }: { target: Target; onClose(): void }): ReactElement {
  const remove = useRemoveTarget();
  return (
    <RemovalDialog
      item={target}
      remove={remove}
      question={`Remove “${target.name}”?`}
      yes="Remove"
      onClose={onClose}
    >
      <p>Vitrine stops sending your site there and deletes its key. What was sent stays there.</p>
    </RemovalDialog>
  );
}

function Targets({ list }: { list: TargetList }): ReactElement {
  const [subject, setSubject] = useState<Target | TargetKind | null>(null);
  const [targetToRemove, setTargetToRemove] = useState<Target | null>(null);
  const { items } = list;
  return (
    <>
      {items.length === 0 && <p>None yet. Your site is served by this server only.</p>}
      {items.length > 0 && (
        <ul className="providers" aria-label="Publish targets">
          {items.map((target) => (
            <TargetRow
              key={target.id}
              target={target}
              onEdit={setSubject}
              onRemove={setTargetToRemove}
            />
          ))}
        </ul>
      )}
      {items.length < maxTargets && (
        <div className="actions">
          {kinds.map((kind) => (
            <Button key={kind} icon="add" onClick={() => setSubject(kind)}>
              {addLabels[kind]}
            </Button>
          ))}
        </div>
      )}
      {subject !== null && <TargetDialog subject={subject} onClose={() => setSubject(null)} />}
      {targetToRemove && (
        <RemoveTarget target={targetToRemove} onClose={() => setTargetToRemove(null)} />
      )}
    </>
  );
}

/** Where copies of the site are sent after each publish. */
export function TargetsSection(): ReactElement {
  const targets = useTargets();
  return (
    <SettingSection
      id="targets"
      title="Publish targets"
      about="After each publish, Vitrine sends a copy of your public site to these places. Only what changed is sent, and failed attempts are repeated."
      setting={targets}
      what="the publish targets"
    >
      {(data) => <Targets list={data} />}
    </SettingSection>
  );
}
