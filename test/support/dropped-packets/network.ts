import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

/** The addresses of this side and of the other one. */
export const here = "10.77.0.1";
const there = "10.77.0.2";
/** Nobody's: packets to it vanish. */
const nowhere = "02:00:00:00:00:99";

/** Whether this machine lets us make network namespaces with a link. */
export function canMakeNetworks(): boolean {
  const link = "ip link add v0 type veth peer name v1".split(" ");
  return spawnSync("unshare", ["--net", ...link]).status === 0;
}

/** Another network namespace, behind a link that can lose every packet without a word. */
export interface OtherNetwork {
  /** Starts a program there. */
  spawn(command: string, args: string[]): ChildProcess;
  cut(): void;
  restore(): void;
  close(): void;
}

function must(command: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** Makes the network and the link; the caller is in a network namespace of its own. */
export async function makeOtherNetwork(): Promise<OtherNetwork> {
  const holder = spawn("unshare", ["--net", "sh", "-c", "echo ready; exec sleep 600"]);
  await once(holder.stdout, "data");
  const inside = ["--net", `--target=${holder.pid}`];
  const ip = (text: string) => must("ip", text.split(" "));
  const ipThere = (text: string) => must("nsenter", [...inside, "ip", ...text.split(" ")]);
  ip("link set lo up");
  ip(`link add v0 type veth peer name v1 netns ${holder.pid}`);
  ip(`address add ${here}/24 dev v0`);
  ip("link set v0 up");
  ipThere(`address add ${there}/24 dev v1`);
  ipThere("link set v1 up");
  const macOf = (text: string) => /link\/ether (\S+)/.exec(text)?.[1] ?? "";
  const macs = { here: macOf(ip("link show v0")), there: macOf(ipThere("link show v1")) };
  const send = (toThere: string, toHere: string) => {
    ip(`neigh replace ${there} lladdr ${toThere} dev v0 nud permanent`);
    ipThere(`neigh replace ${here} lladdr ${toHere} dev v1 nud permanent`);
  };
  return {
    spawn: (command, args) =>
      spawn("nsenter", [...inside, command, ...args], { stdio: ["pipe", "pipe", "inherit"] }),
    cut: () => send(nowhere, nowhere),
    restore: () => send(macs.there, macs.here),
    close: () => void holder.kill("SIGKILL"),
  };
}
