import type { ReactElement } from "react";

import { asApiError, ApiError } from "../../../api/client.ts";
import type { ProjectDetail } from "../../../api/types.ts";
import { useGet } from "../../../api/useGet.ts";
import { idIn } from "../../../ui/search-params.ts";
import { PageHeader } from "../../../ui/PageHeader.tsx";
import { Skeleton } from "../../../ui/Skeleton.tsx";
import { ErrorState } from "../../errors/ErrorState.tsx";
import { Editor } from "./Editor.tsx";

/** The header before the project is loaded. */
const unknown = <PageHeader below="projects" title="Edit a project" />;

function Loaded({ id }: { id: number }): ReactElement {
  const address = "/api/adminprojects/get";
  // Read once: later changes of the record are shown as conflicts, never applied automatically.
  const project = useGet<ProjectDetail>(
    ["project", id],
    address,
    { id },
    {
      staleTime: Infinity,
      refetchOnMount: false,
      refetchOnReconnect: false,
      refetchOnWindowFocus: false,
    },
  );
  if (project.isPending) {
    return (
      <>
        {unknown}
        <Skeleton count={6} shape="row" label="Loading the project…" />
      </>
    );
  }
  if (project.isError) {
    const error = asApiError(project.error);
    const gone = error.status === 404;
    return (
      <>
        {unknown}
        <ErrorState
          what={gone ? "This project doesn’t exist." : "Couldn’t open the project."}
          error={gone ? new ApiError("not_found", "It may have been deleted.", 404) : error}
          {...(!gone && { onRetry: () => void project.refetch(), busy: project.isFetching })}
        />
      </>
    );
  }
  return <Editor project={project.data} />;
}

/** The page /admin/projects/edit?id=…: everything about one project. */
export function EditPage(): ReactElement {
  const id = idIn(new URLSearchParams(location.search), "id");
  return (
    <div className="page edit-page">
      {id === null ? (
        <>
          {unknown}
          <ErrorState
            what="There’s no project at this address."
            error={new ApiError("bad_request", "Choose a project from the list.")}
          />
        </>
      ) : (
        <Loaded id={id} />
      )}
    </div>
  );
}
