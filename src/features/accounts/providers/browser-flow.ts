import { type AppError, toAppError } from "../../../kit/errors.ts";
import { html } from "../../../kit/html.ts";
import { ProviderProblem } from "./problems.ts";

/** Whether who asks reads JSON rather than pages. */
export function wantsJson(accept: string | undefined): boolean {
  return (accept?.includes("application/json") ?? false) && !wantsPage(accept);
}

function wantsPage(accept: string | undefined): boolean {
  return accept?.includes("text/html") ?? false;
}

function faultPage(fault: AppError): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>The sign-in did not work</title>
      </head>
      <body>
        <main>
          <h1>The sign-in did not work</h1>
          <p>${fault.message}</p>
          <p><a href="/account">Back to your account</a></p>
        </main>
      </body>
    </html>`.text;
}

/** What a browser is answered in place of the envelope; null where the envelope it is. */
export function browserAnswer(
  error: unknown,
  accept: string | undefined,
): { kind: "redirect"; location: string } | { kind: "page"; fault: AppError; page: string } | null {
  if (error instanceof ProviderProblem && !wantsJson(accept)) {
    return { kind: "redirect", location: `/account?problem=${error.problem}` };
  }
  if (!wantsPage(accept)) return null;
  const fault = toAppError(error);
  return { kind: "page", fault, page: faultPage(fault) };
}
