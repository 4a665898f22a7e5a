import swagger from "@fastify/swagger";
import type { FastifyContextConfig } from "fastify";
import { createJsonSchemaTransform } from "fastify-type-provider-zod";
import { errorEnvelope } from "../../kit/envelope.ts";
import { z } from "zod";
import { emptyBody } from "./strict-schemas.ts";
import type { AppServer } from "./server.ts";
import { cookieName } from "./session-cookie.ts";

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, unknown>;
  components?: Record<string, unknown>;
}

/** Prefixes of the documented routes; pages and files aren't documented. */
const described = ["/api/", "/devconsole/", "/_preview/"];

/** The schemes that a route's `security` can name. */
function securitySchemes(secure: boolean) {
  return {
    session: { type: "apiKey", in: "cookie", name: cookieName("vitrine_admin", secure) },
    account: { type: "apiKey", in: "cookie", name: cookieName("vitrine_account", secure) },
    bearer: { type: "http", scheme: "bearer" },
  } as const;
}

const failed = {
  description: "The envelope with the error",
  content: { "application/json": { schema: z.toJSONSchema(errorEnvelope) } },
};

/**
 * Collects an OpenAPI 3.1 description of the routes registered after it, from the schemas that
 * validate them; `x-body-limits` contains the limits of a JSON body. The returned function gives
 * the document once the server is ready. `secure`: the site uses https.
 */
export async function describeApi(
  app: AppServer,
  info: { title: string; version: string; description: string },
  { secure }: { secure: boolean } = { secure: false },
): Promise<() => OpenApiDocument> {
  const toJsonSchema = createJsonSchemaTransform({});
  await app.register(swagger, {
    openapi: { openapi: "3.1.0", info, components: { securitySchemes: securitySchemes(secure) } },
    transform: (route) => {
      const isDescribed = described.some((prefix) => route.url.startsWith(prefix));
      const { body, ...rest } = route.schema ?? {};
      // A missing body says that the route takes none.
      const hasBody = body !== undefined && body !== emptyBody;
      const named = hasBody ? { ...rest, body } : rest;
      const { schema, url } = toJsonSchema({ ...route, schema: named });
      const { bodyBounds } = (route.route.config ?? {}) as FastifyContextConfig;
      return {
        url,
        schema: isDescribed
          ? { ...schema, ...(bodyBounds && { "x-body-limits": bodyBounds }) }
          : { ...schema, hide: true },
      };
    },
  });
  return () => withErrors(app.swagger() as unknown as OpenApiDocument);
}

/** Every operation can return the error envelope, which is added here rather than at each route. */
function withErrors(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations as Record<string, { responses?: Record<string, unknown> }>).map(
        ([method, operation]) => [
          method,
          { ...operation, responses: { ...operation.responses, default: failed } },
        ],
      ),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as Record<string, unknown> };
}
