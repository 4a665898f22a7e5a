/** A run as the runner's API answers it; times are ISO 8601 UTC. */
export interface Run {
  id: string;
  kind: "edit" | "restore";
  mode: Mode;
  instruction: string;
  pageUrl: string | null;
  status: RunStatus;
  model: string | null;
  actor: string | null;
  steps: number;
  inputTokens: number;
  outputTokens: number;
  cost: number | null;
  commit: string | null;
  filesChanged: FileCount[];
  message: string | null;
  summary: string | null;
  error: string | null;
  restores: string | null;
  previewUrl: string | null;
  createdAt: string;
  startedAt: string | null;
  finishedAt: string | null;
}

export type Mode = "build" | "ask";

export type RunStatus =
  | "queued"
  | "running"
  | "building"
  | "preview_ready"
  | "publishing"
  | "published"
  | "discarded"
  | "failed"
  | "cancelled"
  | "interrupted";

/** How much one file changed, in lines. */
export interface FileCount {
  path: string;
  added: number;
  removed: number;
}

/** One file's unified diff. */
export interface FileDiff extends FileCount {
  status: "added" | "modified" | "deleted" | "renamed";
  patch: string;
}

export interface Page<T> {
  items: T[];
  total: number;
  page: number;
  perPage: number;
}

/** What a run's event stream carries; `ping` comments never arrive here. */
export type RunEvent =
  | {
      type: "run.started";
      data: { instruction: string; model: string | null; actor: string | null };
    }
  | { type: "run.status"; data: { status: RunStatus } }
  | { type: "model.text"; data: { text: string } }
  | { type: "tool.call"; data: { callId: string; tool: string; title: string } }
  | {
      type: "tool.result";
      data: {
        callId: string;
        tool: string;
        ok: boolean;
        title: string;
        durationMs: number;
        error?: string;
      };
    }
  | { type: "file.changed"; data: FileCount & { patch: string } }
  | { type: "build.started"; data: { attempt: number } }
  | { type: "build.log"; data: { line: string } }
  | { type: "build.failed"; data: { attempt: number; errors: string[] } }
  | {
      type: "build.passed";
      data: { attempt: number; pages: number; bytes: number; durationMs: number };
    }
  | {
      type: "preview.ready";
      data: { previewUrl: string; filesChanged: FileCount[]; summary: string | null };
    }
  | { type: "usage"; data: Usage }
  | {
      type: "run.finished";
      data: {
        status: RunStatus;
        commit?: string | null;
        message?: string | null;
        error?: string | null;
      };
    }
  | { type: "error"; data: { message: string } };

export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cost: number | null;
  steps: number;
}
