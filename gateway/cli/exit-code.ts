/** Exit codes, for shells and supervisors. */
export const exitCode = {
  ok: 0,
  /** A problem with the configuration, the machine or a service; the last line of output describes it. */
  problem: 1,
  /** Invalid command line. */
  usage: 2,
  /** A second signal stopped the process: 128 plus its number, as in shells. */
  interrupted: { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 },
} as const;
