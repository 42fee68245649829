import type { Clock } from "../../../contract/ports/clock.ts";
import type { Logger } from "../../../contract/ports/logger.ts";
import type { ProcessRecords } from "./process-records.ts";
import { groupOf, hasVariable, isRunning, type ProcessIdentity, processesWith } from "./process-table.ts";
import { MARKER } from "./server-environment.ts";

/** Time for an orphan to end after SIGTERM. */
const GRACE_MS = 2_000;

interface OrphanDeps {
  readonly records: ProcessRecords;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Ends the processes that a killed Mooring process has left behind, and nothing else: pid, start time and the marker in
 * the environment must all match. The children of a living process are never touched.
 */
export const endOrphans = async ({ records, clock, logger }: OrphanDeps): Promise<void> => {
  const abandoned = records.abandoned();
  const orphans = abandoned.flatMap(({ instance, children }) => {
    const recorded = children.filter((child) => isRunning(child) && hasVariable(child.pid, MARKER, instance));
    // A child can have started just before the crash, or can have started processes in groups of their own.
    const marked = processesWith(MARKER, instance);
    return distinct([...recorded, ...marked]).map((orphan) => ({ orphan, instance }));
  });
  if (orphans.length > 0) {
    logger.warn({ processes: orphans.map(({ orphan }) => orphan.pid) }, "ending tool processes of an earlier run");
    for (const { orphan } of orphans) signalOrphan(orphan, "SIGTERM");
    await new Promise<void>((resolve) => clock.after(GRACE_MS, resolve));
    for (const { orphan, instance } of orphans) {
      if (hasVariable(orphan.pid, MARKER, instance)) signalOrphan(orphan, "SIGKILL");
    }
  }
  for (const { instance } of abandoned) records.remove(instance);
};

/** The leader of a group is signalled with its group. */
const signalOrphan = (orphan: ProcessIdentity, signal: "SIGTERM" | "SIGKILL"): void => {
  if (!isRunning(orphan)) return;
  try {
    process.kill(groupOf(orphan.pid) === orphan.pid ? -orphan.pid : orphan.pid, signal);
  } catch {
    // It has ended in the meantime.
  }
};

const distinct = (processes: readonly ProcessIdentity[]): ProcessIdentity[] => [
  ...new Map(processes.map((each) => [each.pid, each])).values(),
];
