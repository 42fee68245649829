import type { MsgHdrs, StoredMsg } from "nats";
import { formatOf, messageHeaders } from "../wire/jetstream-requests.ts";

export interface BucketEntry {
  readonly key: string;
  readonly revision: number;
  readonly data: Uint8Array;
  /** A marker that a deletion left in place of the value. */
  readonly deleted: boolean;
  /** Wall clock, milliseconds. */
  readonly expiresAt: number | undefined;
  readonly writeId: string;
  readonly ancestry: WriteAncestry;
  /** DATA_FORMAT of the version that wrote it; 0 up to version 0.2. */
  readonly format: number;
}

export interface ScannedEntry extends BucketEntry {
  /** Wall clock of the server, milliseconds. */
  readonly storedAt: number;
}

interface EntryWrite {
  readonly writeId?: string;
  readonly deletes?: boolean;
  readonly expiresAt?: number | undefined;
  /** 0: the key must be absent. */
  readonly ifRevision?: number | undefined;
  readonly ancestry?: WriteAncestry;
}

export const entryHeaders = ({ writeId, deletes, expiresAt, ifRevision, ancestry }: EntryWrite): MsgHdrs =>
  messageHeaders(
    [OPERATION_HEADER, deletes ? "DEL" : undefined],
    [EXPIRES_HEADER, expiresAt === undefined ? undefined : String(expiresAt)],
    [ID_HEADER, writeId],
    [EXPECTED_HEADER, ifRevision === undefined ? undefined : String(ifRevision)],
    [ANCESTRY_HEADER, ancestry || undefined],
  );

export const entryOf = (
  key: string,
  { seq, data, header }: Pick<StoredMsg, "seq" | "data" | "header">,
): BucketEntry => {
  const expires = header?.get(EXPIRES_HEADER);
  const operation = header?.get(OPERATION_HEADER);
  return {
    key,
    revision: seq,
    data,
    deleted: operation === "DEL" || operation === "PURGE",
    expiresAt: expires ? Number(expires) : undefined,
    writeId: header?.get(ID_HEADER) ?? "",
    ancestry: header?.get(ANCESTRY_HEADER) ?? "",
    format: formatOf(header),
  };
};

const ID_HEADER = "Nats-Msg-Id";
const EXPECTED_HEADER = "Nats-Expected-Last-Subject-Sequence";
const OPERATION_HEADER = "KV-Operation";
const EXPIRES_HEADER = "Mooring-Expires";
const ANCESTRY_HEADER = "Mooring-Lineage";

/**
 * The last writes that led to a revision, newest first, in the format of the header. A compare-and-set whose answer was
 * lost may have been stored and overwritten since; its retry then finds its own id here. Kept as one string, because it
 * is rarely parsed; joined into a new string, because a slice of a header would keep the whole header in memory.
 */
export type WriteAncestry = string;

interface Ancestor {
  readonly writeId: string;
  readonly revision: number;
}

export const descend = (ancestry: WriteAncestry, { writeId, revision }: Ancestor): WriteAncestry =>
  [[writeId, revision].join(":"), ...ancestry.split(",", GENERATIONS - 1)]
    .filter((ancestor) => ancestor !== "")
    .join(",");

/** The revision of the write with this id, if the ancestry contains it. */
export const revisionIn = (ancestry: WriteAncestry, writeId: string): number | undefined => {
  const found = ancestry.split(",").find((ancestor) => ancestor.startsWith(`${writeId}:`));
  return found === undefined ? undefined : Number(found.slice(writeId.length + 1));
};

/** After this many later writes, a write whose answer was lost is no longer found. */
const GENERATIONS = 8;
