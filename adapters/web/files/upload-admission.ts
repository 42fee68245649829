import { AppError } from "../../../core/contract/app-error.ts";
import type { AccessRules } from "../../contract/config.ts";
import type { StorageBudget } from "./storage-budget.ts";

export interface UploadAdmissionDeps {
  readonly budget: StorageBudget;
  readonly access: AccessRules | undefined;
  readonly minFreeBytes: number;
  /** Of the disk that the store is on; absent: not known. */
  readonly freeBytes?: (() => Promise<number>) | undefined;
}

export interface Uploading {
  readonly visitor: string;
  readonly address: string;
  readonly bytes: number;
}

/** Decides whether a file is taken. The errors are for the visitor. */
export class UploadAdmission {
  readonly #deps: UploadAdmissionDeps;

  constructor(deps: UploadAdmissionDeps) {
    this.#deps = deps;
  }

  /** Before the body is read: `bytes` is what the client announces. */
  async check(upload: Uploading): Promise<void> {
    this.#mustMaySpeak(upload.visitor);
    this.#deps.budget.check({ ...upload, kind: "file" });
    await this.#mustHaveSpace(upload.bytes);
  }

  /** With the whole body. Call the returned function if nothing was stored after all. */
  async take(upload: Uploading): Promise<() => void> {
    this.#mustMaySpeak(upload.visitor);
    await this.#mustHaveSpace(upload.bytes);
    return this.#deps.budget.take({ ...upload, kind: "file" });
  }

  /** A file that may not be attached to a message is of no use to anyone (R3). */
  #mustMaySpeak(visitor: string): void {
    const { accounts = "*" } = this.#deps.access ?? {};
    if (accounts === "*" || accounts.includes(visitor)) return;
    throw new AppError("forbidden", "you may not write here, so files are not taken: ask the operator for access");
  }

  /** Files stop before messages do (R3). */
  async #mustHaveSpace(bytes: number): Promise<void> {
    const { freeBytes, minFreeBytes } = this.#deps;
    if (freeBytes === undefined || (await freeBytes()) - bytes >= minFreeBytes) return;
    throw new AppError(
      "unavailable",
      "files cannot be taken at the moment: the disk is nearly full; messages still are",
    );
  }
}
