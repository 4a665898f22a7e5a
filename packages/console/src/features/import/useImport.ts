import { useEffect, useRef, useState } from "react";

import type {
  ImportChoices,
  ImportView,
} from "../../../../server/src/features/portability/schema.ts";
import { type Client, ApiError } from "../../api/client.ts";
import { useClient } from "../../api/context.tsx";
import { useChange } from "../../api/useChange.ts";
import { useGet } from "../../api/useGet.ts";
import { sendBody } from "../media/form-upload.ts";
import { filesToSend, zipFiles } from "./zip-folder.ts";

export type { ImportChoices, ImportView };

const listKeys = [["projects"], ["media"], ["setup"], ["rebuild"]] as const;
const keyOf = (id: string) => ["import", id] as const;
/** How often a running import's progress is read, in ms. */
const pollMs = 1000;

/** The owner's choice: a folder, an archive, or only a résumé. */
export type Source = { files: File[] } | { archive: File };

export interface Sending {
  step: "packing" | "sending" | "working";
  /** From 0 to 1; null if unknown. */
  fraction: number | null;
}

async function archiveOf(
  source: Source,
  options: { signal: AbortSignal; onProgress(fraction: number): void },
): Promise<Blob> {
  if ("archive" in source) {
    if (!/\.json$/i.test(source.archive.name)) return source.archive;
    return zipFiles([{ path: "resume.json", file: source.archive }], options);
  }
  const files = filesToSend(source.files);
  if (files.length === 0) {
    throw new ApiError("bad_request", "This folder contains no text files or images.");
  }
  return zipFiles(files, options).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
    throw new ApiError("too_large", "This folder is too large. Choose the one with your projects.");
  });
}

async function send(
  source: Source,
  options: { client: Client; signal: AbortSignal; onProgress(sending: Sending): void },
): Promise<ImportView> {
  const { client, signal, onProgress } = options;
  const pack = (fraction: number) => onProgress({ step: "packing", fraction });
  const body = await archiveOf(source, { signal, onProgress: pack });
  const request = {
    address: "/api/import/upload",
    body,
    type: "application/zip",
    signal,
    onProgress: (step: "sending" | "working", fraction: number | null) =>
      onProgress({ step, fraction }),
  };
  for (;;) {
    try {
      return (await sendBody<ImportView>(request)).data;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    }
    await client.signIn();
  }
}

/** Sends a folder, an archive, or a résumé; returns its plan. */
export function useSendFolder() {
  const [sending, setSending] = useState<Sending | null>(null);
  const abort = useRef<AbortController | null>(null);
  const client = useClient();
  useEffect(() => () => abort.current?.abort(), []);
  const change = useChange<Source, ImportView>({
    async send(_client, source) {
      abort.current = new AbortController();
      const { signal } = abort.current;
      setSending({ step: "packing", fraction: 0 });
      try {
        return await send(source, { client, signal, onProgress: setSending });
      } finally {
        setSending(null);
      }
    },
    updateCache: (queries, view) => queries.setQueryData(keyOf(view.id), view),
    announcement: () => "The folder has been read.",
  });
  return { change, sending, cancel: () => abort.current?.abort() };
}

/** An upload's state, polled while it is imported. */
export function useImportView(id: string) {
  return useGet<ImportView>(
    keyOf(id),
    "/api/import/get",
    { id },
    {
      enabled: id !== "",
      retry: false,
      refetchInterval: (query) => (query.state.data?.state === "running" ? pollMs : false),
    },
  );
}

/** Starts importing the selection. */
export function useStartImport() {
  return useChange<ImportChoices, ImportView>({
    send: (client, choices) => client.post("/api/import/start", choices),
    updateCache: (queries, view) => queries.setQueryData(keyOf(view.id), view),
    announcement: () => "Importing…",
    stale: listKeys,
  });
}

/** Discards an upload. */
export function useDiscardImport() {
  return useChange<string, { id: string }>({
    send: (client, id) => client.post("/api/import/discard", { id }),
    updateCache: (queries, _answer, id) => queries.removeQueries({ queryKey: keyOf(id) }),
  });
}
