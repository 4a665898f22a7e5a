import type { ReactElement } from "react";

import { Button } from "../../ui/Button.tsx";
import { Notice } from "../../ui/Notice.tsx";
import { plainText } from "../../ui/plain-text.ts";
import { RefusalNotice } from "../errors/RefusalNotice.tsx";
import { useRenameSite, useSetup } from "../setup/useSetup.ts";

/** If the site's pages have a name other than the owner's, offers to change it. */
export function SiteName({ ownerName }: { ownerName: string }): ReactElement | null {
  const setup = useSetup();
  const rename = useRenameSite();
  if (rename.isSuccess) {
    return (
      <Notice kind="info">
        A preview with the new name is being built.{" "}
        <a href="/#console">Look at it in the console</a> and publish it there.
      </Notice>
    );
  }
  if (!setup.data || setup.data.site.name === ownerName) return null;
  const { name } = setup.data.site;
  if (name === null) {
    return (
      <Notice kind="info">
        Your pages still name the sample person. <a href="/admin/setup">Finish the setup</a> to
        change that.
      </Notice>
    );
  }
  return (
    <>
      <Notice
        kind="info"
        actions={
          <Button busy={rename.isPending} onClick={() => rename.mutate(ownerName)}>
            Change the name on the site
          </Button>
        }
      >
        Your pages say “{plainText(name)}”. You’ll see a preview before anything goes live.
      </Notice>
      {rename.isError && <RefusalNotice error={rename.error} />}
    </>
  );
}
