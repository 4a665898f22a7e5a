/**
 * The system calls that a sandboxed program may not make, as a seccomp filter (classic BPF, see
 * seccomp(2) and linux/filter.h). It blocks memory that belongs to no
 * process or file system of the sandbox, and ways around the other limits:
 *
 * - memory behind a descriptor or an ID: memfd, System V and POSIX IPC, pages given to a pipe;
 * - shared anonymous mappings, which no process limit counts;
 * - descriptors in a socket's queue, which no process seems to hold (`sendmsg`);
 * - io_uring, whose system calls no filter sees;
 * - mounts, namespaces, tracing, and other parts of the kernel that no build or encoder needs.
 */

/** Number on x86-64 and on arm64; null if there is none (see the kernel's syscall tables). */
type SyscallTable = Record<string, readonly [x64: number | null, arm64: number | null]>;

const denied: SyscallTable = {
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

/**
 * What namespaces keep from a program in bubblewrap, and what Landlock doesn't: sockets of any kind,
 * other processes of the same user, leaving the group that is ended as a whole, notifications about
 * files elsewhere, and their attributes.
 */
const deniedWithoutNamespaces: SyscallTable = {
  socket: [41, 198],
  setsid: [112, 157],
  setpgid: [109, 154],
  pidfd_open: [434, 434],
  pidfd_send_signal: [424, 424],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  inotify_init: [253, null],
  inotify_init1: [294, 26],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  chroot: [161, 51],
  syslog: [103, 116],
  acct: [163, 89],
};

/**
 * What could change something outside and what programs do all the time without needing the effect:
 * modes, owners, and times of files, signals, priorities. They succeed and do nothing.
 */
const withoutEffect: SyscallTable = {
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, null],
  fchown: [93, 55],
  lchown: [94, null],
  fchownat: [260, 54],
  utime: [132, null],
  utimes: [235, null],
  futimesat: [261, null],
  utimensat: [280, 88],
  kill: [62, 129],
  tkill: [200, 130],
  tgkill: [234, 131],
  setpriority: [141, 140],
  ioprio_set: [251, 30],
  sched_setaffinity: [203, 122],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  sched_setattr: [314, 274],
};

/** Calls that are refused depending on one argument. */
interface Conditional {
  number: readonly [x64: number, arm64: number];
  argument: number;
  /** Refused for these values, or for all but these. */
  values: readonly number[];
  refuse: "these" | "others";
}

const conditional: readonly Conditional[] = [
  // F_SETOWN, F_SETSIG, F_SETOWN_EX: who gets a signal for a descriptor.
  { number: [72, 25], argument: 1, values: [8, 10, 15], refuse: "these" },
  // FIOSETOWN, SIOCSPGRP: the same; TIOCSTI: typing into a terminal.
  { number: [16, 29], argument: 1, values: [0x8901, 0x8902, 0x5412], refuse: "these" },
  // prlimit64 of another process.
  { number: [302, 261], argument: 0, values: [0], refuse: "others" },
];

/** A new process in a namespace of its own (CLONE_NEW… of linux/sched.h). */
const clone = [56, 220] as const;
const newNamespaces = 0x7e02_0000;
/** Its flags lie in memory, where no filter can look; libraries then use `clone`. */
const clone3 = 435;

interface Architecture {
  /** The kernel's identifier in filters (linux/audit.h). */
  audit: number;
  mmap: number;
  /** Its column in the tables. */
  column: 0 | 1;
}

const architectures: Record<string, Architecture> = {
  x64: { audit: 0xc000003e, mmap: 9, column: 0 },
  arm64: { audit: 0xc00000b7, mmap: 222, column: 1 },
};

/** The newest system call known to this table (map_shadow_stack, Linux 6.6). */
const newestSyscall = 453;

/** The classic BPF instructions used here (linux/bpf_common.h). */
const load = 0x20;
const jumpEqual = 0x15;
const jumpGreater = 0x25;
const and = 0x54;
const returnAction = 0x06;

const killProcess = 0x80000000;
const refuse = 0x00050000 | 1;
const succeed = 0x00050000;
const unknown = 0x00050000 | 38;
const allow = 0x7fff0000;

/** Offsets in struct seccomp_data; the low half of an argument on little-endian machines. */
const numberAt = 0;
const architectureAt = 4;
const argumentAt = (index: number) => 16 + index * 8;

/**
 * The bit of MAP_SHARED and MAP_SHARED_VALIDATE, which MAP_PRIVATE doesn't have; with
 * MAP_ANONYMOUS.
 */
const sharedAnonymous = 0x01 | 0x20;

type Instruction = [code: number, whenTrue: number, whenFalse: number, operand: number];

function answerTo(table: SyscallTable, column: 0 | 1, action: number): Instruction[] {
  const numbers = Object.values(table).map((columns) => columns[column]);
  return numbers
    .filter((number) => number !== null)
    .flatMap((number): Instruction[] => [
      [jumpEqual, 0, 1, number],
      [returnAction, 0, 0, action],
    ]);
}

function refuseByArgument(
  { number, argument, values, refuse: which }: Conditional,
  column: 0 | 1,
): Instruction[] {
  const [forThese, forOthers] = which === "these" ? [refuse, allow] : [allow, refuse];
  return [
    [jumpEqual, 0, 2 * values.length + 2, number[column]],
    [load, 0, 0, argumentAt(argument)],
    ...values.flatMap((value): Instruction[] => [
      [jumpEqual, 0, 1, value],
      [returnAction, 0, 0, forThese],
    ]),
    [returnAction, 0, 0, forOthers],
  ];
}

function refuseNamespaces(column: 0 | 1): Instruction[] {
  return [
    [jumpEqual, 0, 1, clone3],
    [returnAction, 0, 0, unknown],
    [jumpEqual, 0, 5, clone[column]],
    [load, 0, 0, argumentAt(0)],
    [and, 0, 0, newNamespaces],
    [jumpEqual, 0, 1, 0],
    [returnAction, 0, 0, allow],
    [returnAction, 0, 0, refuse],
  ];
}

function instructions({ audit, mmap, column }: Architecture, hasNamespaces: boolean) {
  const list: Instruction[] = [
    [load, 0, 0, architectureAt],
    [jumpEqual, 1, 0, audit],
    [returnAction, 0, 0, killProcess],
    [load, 0, 0, numberAt],
    // Blocks calls of newer kernels, which are missing here, and those of the x32 interface.
    [jumpGreater, 0, 1, newestSyscall],
    [returnAction, 0, 0, unknown],
    ...answerTo(denied, column, refuse),
  ];
  if (!hasNamespaces) {
    list.push(
      ...answerTo(deniedWithoutNamespaces, column, refuse),
      ...answerTo(withoutEffect, column, succeed),
      ...conditional.flatMap((call) => refuseByArgument(call, column)),
      ...refuseNamespaces(column),
    );
  }
  list.push(
    [jumpEqual, 0, 4, mmap],
    [load, 0, 0, argumentAt(3)],
    [and, 0, 0, sharedAnonymous],
    [jumpEqual, 0, 1, sharedAnonymous],
    [returnAction, 0, 0, refuse],
    [returnAction, 0, 0, allow],
  );
  return list;
}

/**
 * The filter for a processor architecture as Node names it: an array of struct sock_filter. Null if
 * its system call numbers are unknown here. Without namespaces, more is refused.
 */
export function seccompFilter(
  options: { architecture?: string; hasNamespaces: boolean } = { hasNamespaces: true },
): Buffer | null {
  const known = architectures[options.architecture ?? process.arch];
  if (known === undefined) return null;
  const list = instructions(known, options.hasNamespaces);
  const filter = Buffer.alloc(list.length * 8);
  for (const [index, [code, whenTrue, whenFalse, operand]] of list.entries()) {
    filter.writeUInt16LE(code, index * 8);
    filter.writeUInt8(whenTrue, index * 8 + 2);
    filter.writeUInt8(whenFalse, index * 8 + 3);
    filter.writeUInt32LE(operand, index * 8 + 4);
  }
  return filter;
}
