import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** A process of this machine. Process ids are reused, so the start time is part of the identity. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

/** Fields of /proc/<pid>/stat after the name, which may contain spaces and brackets. */
const STATE = 0;
const GROUP = 2;
const START_TIME = 19;

const statOf = (pid: number): readonly string[] | undefined => {
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
};

/** Undefined if the process has ended, or if the system has no /proc. */
export const identityOf = (pid: number): ProcessIdentity | undefined => {
  const fields = statOf(pid);
  const startTime = fields?.[START_TIME];
  return startTime === undefined || fields?.[STATE] === "Z" ? undefined : { pid, startTime };
};

export const isRunning = ({ pid, startTime }: ProcessIdentity): boolean => identityOf(pid)?.startTime === startTime;

/** The id of the process group; undefined if the process has ended. */
export const groupOf = (pid: number): number | undefined => {
  const group = Number(statOf(pid)?.[GROUP]);
  return Number.isInteger(group) ? group : undefined;
};

/** Whether a process was started with this variable. False for processes of other users. */
export const hasVariable = (pid: number, name: string, value: string): boolean =>
  readOrUndefined(`/proc/${pid}/environ`)?.split("\0").includes(`${name}=${value}`) ?? false;

/** All processes that were started with this variable, or by such a process. */
export const processesWith = (name: string, value: string): ProcessIdentity[] => {
  let entries: string[];
  try {
    entries = readdirSync("/proc");
  } catch {
    return [];
  }
  return entries
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid !== process.pid && hasVariable(pid, name, value))
    .flatMap((pid) => identityOf(pid) ?? []);
};

/** The same for all processes that see each other's ids: containers that share a folder do not. */
export const processSpace = (): string => {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "unknown";
  }
};

/** A process can end, or belong to another user, between two reads. */
const readOrUndefined = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};
