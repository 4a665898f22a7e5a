/**
 * The system calls that a sandboxed program may not make, as a seccomp filter for bubblewrap's
 * `--seccomp` (classic BPF, see seccomp(2) and linux/filter.h). It blocks memory that belongs to no
 * process or file system of the sandbox, and ways around the other limits:
 *
 * - memory behind a descriptor or an ID: memfd, System V and POSIX IPC, pages given to a pipe;
 * - shared anonymous mappings, which no process limit counts;
 * - descriptors in a socket's queue, which no process seems to hold (`sendmsg`);
 * - io_uring, whose system calls no filter sees;
 * - mounts, namespaces, tracing, and other parts of the kernel that no build or encoder needs.
 */

/** Number on x86-64 and on arm64; null if there is none (see the kernel's syscall tables). */
const denied: Record<string, readonly [x64: number, arm64: number]> = {
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  shmctl: [31, 195],
  shmat: [30, 196],
  msgget: [68, 186],
  msgsnd: [69, 189],
  semget: [64, 190],
  mq_open: [240, 180],
  vmsplice: [278, 75],
  remap_file_pages: [216, 234],
  sendmsg: [46, 211],
  sendmmsg: [307, 269],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  userfaultfd: [323, 282],
  perf_event_open: [298, 241],
  bpf: [321, 280],
  fanotify_init: [300, 262],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  swapon: [167, 224],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  kexec_load: [246, 104],
  init_module: [175, 105],
  finit_module: [313, 273],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
};

interface Architecture {
  /** The kernel's identifier in filters (linux/audit.h). */
  audit: number;
  mmap: number;
  numbers: number[];
}

/** The newest system call known to this table (map_shadow_stack, Linux 6.6). */
const newestSyscall = 453;

function architectureOf(name: string): Architecture | null {
  const calls = Object.values(denied);
  if (name === "x64") {
    return { audit: 0xc000003e, mmap: 9, numbers: calls.map(([x64]) => x64) };
  }
  if (name === "arm64") {
    return { audit: 0xc00000b7, mmap: 222, numbers: calls.map(([, arm64]) => arm64) };
  }
  return null;
}

/** The classic BPF instructions used here (linux/bpf_common.h). */
const load = 0x20;
const jumpEqual = 0x15;
const jumpGreater = 0x25;
const and = 0x54;
const returnAction = 0x06;

const killProcess = 0x80000000;
const refuse = 0x00050000 | 1;
const unknown = 0x00050000 | 38;
const allow = 0x7fff0000;

/** Offsets in struct seccomp_data; the fourth argument's low half on little-endian machines. */
const numberAt = 0;
const architectureAt = 4;
const fourthArgumentAt = 16 + 3 * 8;

/**
 * The bit of MAP_SHARED and MAP_SHARED_VALIDATE, which MAP_PRIVATE doesn't have; with
 * MAP_ANONYMOUS.
 */
const sharedAnonymous = 0x01 | 0x20;

type Instruction = [code: number, whenTrue: number, whenFalse: number, operand: number];

function instructions({ audit, mmap, numbers }: Architecture): Instruction[] {
  return [
    [load, 0, 0, architectureAt],
    [jumpEqual, 1, 0, audit],
    [returnAction, 0, 0, killProcess],
    [load, 0, 0, numberAt],
    // Blocks calls of newer kernels, which are missing here, and those of the x32 interface.
    [jumpGreater, 0, 1, newestSyscall],
    [returnAction, 0, 0, unknown],
    ...numbers.flatMap((number): Instruction[] => [
      [jumpEqual, 0, 1, number],
      [returnAction, 0, 0, refuse],
    ]),
    [jumpEqual, 0, 4, mmap],
    [load, 0, 0, fourthArgumentAt],
    [and, 0, 0, sharedAnonymous],
    [jumpEqual, 0, 1, sharedAnonymous],
    [returnAction, 0, 0, refuse],
    [returnAction, 0, 0, allow],
  ];
}

/**
 * The filter for a processor architecture as Node names it: an array of struct sock_filter. Null if
 * its system call numbers are unknown here.
 */
export function seccompFilter(architecture: string = process.arch): Buffer | null {
  const known = architectureOf(architecture);
  if (known === null) return null;
  const list = instructions(known);
  const filter = Buffer.alloc(list.length * 8);
  for (const [index, [code, whenTrue, whenFalse, operand]] of list.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(whenTrue, index * 8 + 2);
    filter.writeUInt8(whenFalse, index * 8 + 3);
    filter.writeUInt32LE(operand, index * 8 + 4);
  }
  return filter;
}
