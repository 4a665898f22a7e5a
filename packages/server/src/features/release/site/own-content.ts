import type { FastifyRequest } from "fastify";
import type { SiteFile } from "./live-release.ts";

/** What one visitor gets at an address where the public site has nothing. */
export type OwnContent =
  | {
      file: SiteFile;
      /** Called before it is sent, whatever the request. */
      opened?: () => Promise<void>;
    }
  /** A redirect to a path of this site. */
  | { to: string };

/**
 * Finds a visitor's own content by the decoded path; null for none, which gets the same response as
 * any address that doesn't exist. Called only if the public site has nothing, and only for requests
 * with a cookie.
 */
export type FindOwnContent = (request: FastifyRequest, path: string) => Promise<OwnContent | null>;
