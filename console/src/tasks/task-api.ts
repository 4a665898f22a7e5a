import { makeRequests } from "../api.ts";
import type { NewTask, Task, TaskAction, TaskBoard, TaskCounts, TaskDetail } from "../types.ts";

/** What the console asks of the queue. Each rejects with an ApiError. */
export interface TaskApi {
  /** The same object as the time before while nothing has changed. */
  board(): Promise<TaskBoard>;
  counts(): Promise<TaskCounts>;
  get(id: number): Promise<TaskDetail>;
  create(task: NewTask): Promise<Task>;
  /** With an approval goes what the owner has confirmed of private text. */
  act(action: TaskAction, id: number, confirmed?: { confirmPrivate?: string }): Promise<Task>;
  /** Lets the runners take nothing up by themselves, or again. */
  pause(paused: boolean): Promise<void>;
  /** Carries out what is due, even while the queue is paused. */
  run(): Promise<void>;
}

/** The queue's API as the browser sees it. */
export function makeTaskApi(fetch: typeof globalThis.fetch): TaskApi {
  const { send, data, get, post } = makeRequests(fetch, "");
  const at = "/api/admintasks";
  let last: { tag: string; board: TaskBoard } | null = null;
  async function board(): Promise<TaskBoard> {
    const headers = { accept: "application/json", ...(last && { "if-none-match": last.tag }) };
    const response = await send(`${at}/board`, { headers });
    if (response.status === 304 && last !== null) return last.board;
    const found = await data<TaskBoard>(response);
    const tag = response.headers.get("etag");
    last = tag === null ? null : { tag, board: found };
    return found;
  }
  return {
    board,
    counts: () => get(`${at}/counts`),
    get: (id) => get(`${at}/get?id=${id}`),
    create: (task) => post(`${at}/create`, task),
    act: (action, id, confirmed = {}) => post(`${at}/${action}`, { id, ...confirmed }),
    pause: async (paused) => void (await post(`${at}/${paused ? "pause" : "resume"}`, {})),
    run: async () => void (await post("/devconsole/tasks/run", {})),
  };
}
