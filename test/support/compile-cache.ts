/**
 * For the environment of a program that a test starts: where the tests keep compiled code, if they
 * do. Compiling is a third of the start of a program.
 */
export function compileCache(): Record<string, string> {
  const folder = process.env["NODE_COMPILE_CACHE"];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
