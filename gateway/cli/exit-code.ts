/** What the shell, and whoever supervises the process, is told. */
export const exitCode = {
  ok: 0,
  /** Something is wrong with the configuration, the machine or a service; the last line says what. */
  problem: 1,
  /** The command line itself cannot be understood. */
  usage: 2,
  /** Stopped at once by a second signal, as shells count it. */
  interrupted: { SIGINT: 130, SIGTERM: 143 },
} as const;
