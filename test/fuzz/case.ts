/** One thing that is tried. It is stored as JSON, so that a found one can be replayed first. */
export type FuzzCase =
  | {
      kind: "request";
      /** `web` or `runner`: which server is asked. */
      server: "web" | "runner";
      method: string;
      /** Exactly as it is sent. */
      path: string;
      headers: Record<string, string>;
      /** Base64; null for none. */
      body: string | null;
      /** Who asks. */
      as: "nobody" | "admin" | "token" | "runner-key";
    }
  | { kind: "rewrite"; type: "html" | "css" | "script"; source: string }
  | { kind: "import"; name: string; content: string }
  | { kind: "archive"; content: string };

/** What a case has shown to be wrong, in one line each. */
export type Faults = string[];
