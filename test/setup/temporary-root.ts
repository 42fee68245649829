import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** A tmpfs of most Linux systems. Containers limit it to 64 MB unless they are started with another size. */
const IN_MEMORY = "/dev/shm";
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * The folder for the files of a run. Stores sync each write: on a disk, that takes most of the CPU time of nats-server. A
 * file in memory survives the kill of a process as well. An explicit TMPDIR wins.
 */
export const temporaryRoot = ({ env = process.env, folder = IN_MEMORY, neededBytes = NEEDED_BYTES } = {}): string => {
  if (env.TMPDIR) return env.TMPDIR;
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= neededBytes ? folder : tmpdir();
  } catch {
    return tmpdir();
  }
};
