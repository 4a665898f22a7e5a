import { expect, test } from "vitest";
import { rewriteRenamedPath } from "./renamed-paths.ts";

test.each([
  ["/api/adminsettings/look", "/api/adminsettings/theme"],
  ["/api/adminsettings/mail/deliveries?page=2", "/api/adminsettings/email/deliveries?page=2"],
  ["/api/adminsettings/mail?x", "/api/adminsettings/email?x"],
  ["/api/adminsettings/mailer", "/api/adminsettings/mailer"],
  ["/x/api/adminsettings/look", "/x/api/adminsettings/look"],
  ["/", "/"],
])("%s is answered as %s", (asked, answered) => {
  expect(rewriteRenamedPath(asked)).toBe(answered);
});
