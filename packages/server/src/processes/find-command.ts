/** The command in the arguments of the command line, if its name comes first or after options. */
export function findCommand(args: readonly string[]): string | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const argument = args[at] ?? "";
    if (argument === "--dir" || argument === "--site") at += 1;
    else if (argument !== "--pretty" && !/^--(?:dir|site)=/.test(argument)) return argument;
  }
  return undefined;
}
