import type { QueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";

import { asApiError } from "../../api/client.ts";
import type { RebuildState } from "../../api/types.ts";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";
import { Button } from "../../ui/Button.tsx";
import { ConfirmPrivate, privateTexts } from "../publish/ConfirmPrivate.tsx";

/** Invalidate this after changing records. */
export const rebuildKey = ["rebuild"] as const;

const address = "/devconsole/rebuild";
/** Polling intervals in ms: while the site is being rebuilt, and otherwise. */
const soon = 1500;
const seldom = 10_000;

const inProgress = (state: RebuildState["state"] | undefined): boolean =>
  state === "pending" || state === "building";

const bannerTexts: Readonly<Record<RebuildState["state"], string>> = {
  idle: "The site is up to date.",
  pending: "The site is being updated…",
  building: "The site is being updated…",
  failed: "Couldn’t update the site. The previous version is still live.",
};

/** Private text that blocked updating the site, with a button to confirm it. */
function PrivateTexts(props: {
  refusal: NonNullable<RebuildState["privateTexts"]>;
  onPublish(fingerprint: string): void;
}): ReactElement {
  const { refusal, onPublish } = props;
  const [asking, setAsking] = useState(false);
  if (!asking) return <Button onClick={() => setAsking(true)}>Review private text</Button>;
  return (
    <ConfirmPrivate
      texts={privateTexts(refusal)}
      onKeep={() => setAsking(false)}
      onPublish={() => {
        setAsking(false);
        onPublish(refusal.fingerprint);
      }}
    />
  );
}

/** After a change that pages show: assumes that the site is behind until the server confirms it. */
export function expectRebuild(queries: QueryClient): void {
  queries.setQueryData<RebuildState>(
    rebuildKey,
    (known) => known && { ...known, state: "pending", error: null },
  );
  void queries.invalidateQueries({ queryKey: rebuildKey });
}

/**
 * How the live site follows the records, polled. `current` is undefined while unknown: an older
 * state says nothing about now, especially if the runner doesn't respond.
 */
export function useRebuildState() {
  const query = useGet<RebuildState>(rebuildKey, address, undefined, {
    refetchInterval: ({ state }) => (inProgress(state.data?.state) ? soon : seldom),
  });
  const isUnknown = query.isError || query.failureCount > 0;
  return { data: query.data, isUnknown, current: isUnknown ? undefined : query.data?.state };
}

/** How the live site follows the records, on every page; failures have a message and Retry. */
export function RebuildBanner(): ReactElement {
  const state = useRebuildState();
  const again = useChange<string | undefined, RebuildState>({
    send: (client, confirmPrivate) =>
      client.post(address, confirmPrivate === undefined ? {} : { confirmPrivate }),
    updateCache: (queries, data) => queries.setQueryData(rebuildKey, data),
  });
  const { current } = state;
  const unknown = "Couldn’t check the live site.";
  return (
    <div className="rebuild" data-state={current ?? "unknown"}>
      <p role="status">
        {inProgress(current) && <span className="spinner" />}
        {current ? bannerTexts[current] : state.isUnknown && unknown}
      </p>
      {current === "failed" && (
        <>
          {state.data?.error && <p className="rebuild-error">{state.data.error}</p>}
          {state.data?.privateTexts && (
            <PrivateTexts refusal={state.data.privateTexts} onPublish={again.mutate} />
          )}
          <Button icon="reload" busy={again.isPending} onClick={() => again.mutate(undefined)}>
            Retry
          </Button>
          {again.isError && <p role="alert">{asApiError(again.error).message}</p>}
        </>
      )}
    </div>
  );
}
