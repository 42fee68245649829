import { AppError } from "../../../core/contract/app-error.ts";
import type { PersonBudget, Uploader } from "../../contract/adapter-context.ts";
import type { AccessRules } from "../../contract/config.ts";
import type { StorageBudget } from "./storage-budget.ts";
import type { UploadsInFlight } from "./uploads-in-flight.ts";

export interface UploadAdmissionDeps {
  readonly budget: StorageBudget;
  readonly inFlight: UploadsInFlight;
  /** Absent: no budget of a person applies. */
  readonly personBudget?: PersonBudget | undefined;
  readonly access: AccessRules | undefined;
  readonly isBlocked?: ((visitor: string) => boolean) | undefined;
  readonly minFreeBytes: number;
  /** Free space on the store's disk; absent if unknown. */
  readonly freeBytes?: (() => Promise<number>) | undefined;
}

export interface UploadRequest {
  readonly visitor: string;
  /** No page has identified the visitor. */
  readonly isAnonymous: boolean;
  readonly address: string;
  readonly bytes: number;
}

/** Decides whether an upload is accepted. The visitor sees the error texts. */
export class UploadAdmission {
  readonly #deps: UploadAdmissionDeps;

  constructor(deps: UploadAdmissionDeps) {
    this.#deps = deps;
  }

  /** Before the body is read: `bytes` is the announced content length. `whenClosed` frees the place of the upload. */
  async check(upload: UploadRequest, whenClosed: (end: () => void) => void): Promise<void> {
    const { budget, inFlight, personBudget } = this.#deps;
    this.#requireAccess(upload.visitor);
    whenClosed(inFlight.begin({ ...upload, isAnonymous: this.#uploader(upload).isAnonymous }));
    budget.check({ ...upload, kind: "file" });
    // Without an announced length, at least the first byte must fit.
    await personBudget?.check(this.#uploader(upload), Math.max(1, upload.bytes));
    await this.#requireSpace(upload.bytes);
  }

  /** Admits the whole body. The caller calls the returned function if the file was not stored. */
  async take(upload: UploadRequest): Promise<() => void> {
    this.#requireAccess(upload.visitor);
    await this.#requireSpace(upload.bytes);
    const { budget, personBudget } = this.#deps;
    const refund = await budget.reserve({ ...upload, kind: "file" });
    try {
      const refundPerson = await personBudget?.take(this.#uploader(upload), upload.bytes);
      return () => {
        refund();
        refundPerson?.();
      };
    } catch (error) {
      refund();
      throw error;
    }
  }

  /** A visitor whom the access rules list by name counts as identified, as with messages. */
  #uploader({ visitor, isAnonymous }: UploadRequest): Uploader {
    return { id: visitor, isAnonymous: isAnonymous && !Array.isArray(this.#deps.access?.accounts) };
  }

  /** A visitor without access cannot attach the file to a message, so it is not stored (R3). */
  #requireAccess(visitor: string): void {
    const { access, isBlocked } = this.#deps;
    const { accounts = "*" } = access ?? {};
    if ((accounts === "*" || accounts.includes(visitor)) && isBlocked?.(visitor) !== true) return;
    throw new AppError("forbidden", "you may not write here, so files are not accepted: ask the operator for access");
  }

  /** Files are refused before messages are (R3). */
  async #requireSpace(bytes: number): Promise<void> {
    const { freeBytes, minFreeBytes } = this.#deps;
    if (freeBytes === undefined || (await freeBytes()) - bytes >= minFreeBytes) return;
    throw new AppError(
      "unavailable",
      "files are not accepted now, because the disk is nearly full; messages without files still are",
    );
  }
}
