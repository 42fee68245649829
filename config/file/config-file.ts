import { createHash, randomUUID } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename } from "node:path";
import { AppError } from "../../core/contract/app-error.ts";
import { checkText, configFile, isShipped, ownEnvironment, readText } from "../load-config.ts";
import { type KeyPath, spellPath, valueAt } from "../problems/problem.ts";
import type { Environment } from "../read/substitute-references.ts";
import type { Config } from "../schema/config.ts";
import { editYaml } from "./edit-yaml.ts";

/** The text of a configuration file, checked. */
export interface CheckedFile {
  readonly config: Config;
  /** Changes with every change of the file. */
  readonly digest: string;
  /** Where the value of a setting comes from: "file", "default", "file, with references", or a reference `${NAME}`. */
  sourceOf(path: KeyPath): string;
}

/** The configuration file of a process, for operators who change settings. */
export interface ConfigFile {
  readonly name: string;
  /** The file belongs to the package, so it is not changed. */
  readonly isShipped: boolean;
  /** Rejects with ConfigInvalid. */
  read(): Promise<CheckedFile>;
  /**
   * Writes one value if the file still has the digest and the result is valid. Rejects with "conflict" or ConfigInvalid
   * without any change.
   */
  change(path: KeyPath, value: string | number, ifDigest: string): Promise<void>;
}

export const openConfigFile = (options: {
  readonly file?: string | undefined;
  readonly env?: Environment;
}): ConfigFile => {
  const { env = ownEnvironment() } = options;
  const path = configFile({ file: options.file, env });

  const checked = async (text: string): Promise<CheckedFile> => {
    const { config, read } = await checkText(path, text, env);
    const sourceOf = (of: KeyPath): string => {
      const reference = read.filled.references.get(spellPath(of));
      if (reference !== undefined) return reference;
      const written = valueAt(read.yaml.value, of);
      if (written === undefined) return "default";
      return JSON.stringify(written).includes("${") ? "file, with references" : "file";
    };
    return { config, digest: digestOf(text), sourceOf };
  };

  return {
    name: basename(path),
    isShipped: isShipped(path),
    read: () => checked(readText(path)),
    change: async (of, value, ifDigest) => {
      const text = readText(path);
      if (digestOf(text) !== ifDigest) throw changedMeanwhile();
      const edited = editYaml(text, of, value);
      const { config } = await checked(edited);
      if (valueAt(config, of) !== value)
        throw new AppError("bad-input", `${spellPath(of)} cannot be changed here: edit the file`);
      replace(path, edited, ifDigest);
    },
  };
};

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 22);

const changedMeanwhile = (): AppError =>
  new AppError("conflict", "the configuration file has changed in the meantime: reload the page and try again");

/** Some editors write it. readText leaves it out. */
const BYTE_ORDER_MARK = "\ufeff";

const withoutMark = (text: string): string => (text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);

/**
 * A crash leaves the old file or the new one, because a rename is atomic. The name of the draft is unique: processes in
 * containers that share the folder often have the same process id.
 */
const replace = (path: string, text: string, ifDigest: string): void => {
  const target = realpathSync(path);
  const draft = `${target}.${randomUUID()}.new`;
  try {
    // A rename would also replace a file that is read-only on purpose.
    accessSync(target, constants.W_OK);
    const { mode, uid, gid } = statSync(target);
    writeFileSync(draft, text, { mode: 0o600, flag: "wx", flush: true });
    const made = statSync(draft);
    if (made.uid !== uid || made.gid !== gid) chownSync(draft, uid, gid);
    chmodSync(draft, mode & 0o777);
    const now = readFileSync(target, "utf8");
    if (digestOf(withoutMark(now)) !== ifDigest) throw changedMeanwhile();
    if (now.startsWith(BYTE_ORDER_MARK)) writeFileSync(draft, BYTE_ORDER_MARK + text, { flush: true });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof AppError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new AppError(
      "conflict",
      `the configuration file cannot be written (${code}): change it where you deploy it, then reload`,
    );
  }
};
