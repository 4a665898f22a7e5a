import type { FastifyRequest } from "fastify";
import type { SiteFile } from "./live-release.ts";

/** What one visitor gets at an address where the public site has nothing. */
export type OwnContent =
  | {
      file: SiteFile;
      /** Called before it is sent, whatever the request asks of it. */
      opened?: () => Promise<void>;
    }
  /** Where it is instead: a path of this site. */
  | { to: string };

/**
 * Finds what is this visitor's and not everybody's, by the decoded path; null for nothing, which is
 * answered exactly as any address that is not there. Asked only where the public site has nothing,
 * and only of requests with a cookie.
 */
export type FindOwnContent = (request: FastifyRequest, path: string) => Promise<OwnContent | null>;
