import type { Client } from "../../api/client.ts";
import type {
  NewTask,
  Task,
  TaskAction,
  TaskBoard,
  TaskCounts,
  TaskDetail,
} from "../../api/types.ts";

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
export function makeTaskApi({ get, getChanged, post }: Client): TaskApi {
  const at = "/api/admintasks";
  let last: { etag: string | null; board: TaskBoard } | null = null;
  return {
    async board() {
      const found = await getChanged<TaskBoard>(`${at}/board`, last?.etag ?? null);
      if (found !== null) last = { etag: found.etag, board: found.data };
      if (last === null) throw new Error("There is no board that could be the same.");
      return last.board;
    },
    counts: () => get(`${at}/counts`),
    get: (id) => get(`${at}/get`, { id }),
    create: (task) => post(`${at}/create`, task),
    act: (action, id, confirmed = {}) => post(`${at}/${action}`, { id, ...confirmed }),
    pause: async (paused) => void (await post(`${at}/${paused ? "pause" : "resume"}`, {})),
    run: async () => void (await post("/devconsole/tasks/run", {})),
  };
}
