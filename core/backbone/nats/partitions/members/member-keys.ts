import { RevisionConflict } from "../../../../contract/app-error.ts";
import type { KvBucket } from "../../kv/kv-bucket.ts";

interface MemberKeysDeps {
  /** The records of the members, which every process watches. */
  readonly bucket: KvBucket;
  /** The beats of the members, which no process watches. */
  readonly beats: KvBucket;
  readonly leaseMs: number;
  readonly newId: () => string;
}

/** Another process deleted a key of this member: it was declared dead. */
export class DeclaredDead extends Error {}

/**
 * The two keys of this member on the server. Only this process writes them, others only delete them. The beat exists
 * whenever the record does: this process creates it first, and a process that declares the member dead deletes it first.
 */
export class MemberKeys {
  readonly #deps: MemberKeysDeps;
  #id: string;
  #recordRevision = 0;
  #beatRevision = 0;
  #count = 0;

  constructor(deps: MemberKeysDeps) {
    this.#deps = deps;
    this.#id = deps.newId();
  }

  get id(): string {
    return this.#id;
  }

  /** The record is stored. */
  get isMember(): boolean {
    return this.#recordRevision > 0;
  }

  get recordRevision(): number {
    return this.#recordRevision;
  }

  /**
   * Renews the beat, and writes the record if it is given. Returns the revision of the beat. A member whose record cannot
   * be stored does not renew its beat, so that others declare it dead. Rejects with DeclaredDead if a key was deleted.
   */
  async renew(record?: Uint8Array): Promise<number> {
    const isJoining = !this.isMember;
    if (isJoining) await this.#writeBeat();
    if (record) this.#recordRevision = await this.#write(this.#deps.bucket, record, this.#recordRevision);
    if (!isJoining) await this.#writeBeat();
    return this.#beatRevision;
  }

  /** An id that was declared dead is never used again. */
  rejoin(): void {
    this.#id = this.#deps.newId();
    this.#recordRevision = 0;
    this.#beatRevision = 0;
  }

  async remove(timeoutMs: number): Promise<void> {
    const { bucket, beats } = this.#deps;
    const keys: [KvBucket, number][] = [
      [bucket, this.#recordRevision],
      [beats, this.#beatRevision],
    ];
    this.#recordRevision = 0;
    this.#beatRevision = 0;
    await Promise.all(
      keys.map(([of, ifRevision]) => (ifRevision > 0 ? of.remove(this.#id, { ifRevision, timeoutMs }) : undefined)),
    );
  }

  async #writeBeat(): Promise<void> {
    const data = Buffer.from(JSON.stringify({ beat: ++this.#count }));
    this.#beatRevision = await this.#write(this.#deps.beats, data, this.#beatRevision);
  }

  async #write(bucket: KvBucket, data: Uint8Array, revision: number): Promise<number> {
    const { leaseMs } = this.#deps;
    for (let ifRevision = revision; ; ) {
      try {
        return await bucket.write(this.#id, data, {
          ifRevision,
          timeoutMs: leaseMs,
          attemptMs: leaseMs * ATTEMPT_SHARE,
        });
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
        // Others only delete the key. If it exists, an earlier write was stored without its answer arriving.
        const entry = await bucket.read(this.#id, leaseMs);
        if (entry === undefined || entry.deleted) throw new DeclaredDead();
        ifRevision = entry.revision;
      }
    }
  }
}

/** Share of the lease: a renewal without an answer is retried soon, so that work resumes soon after a quorum returns. */
const ATTEMPT_SHARE = 0.1;
