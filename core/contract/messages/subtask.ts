import { z } from "zod";
import { FileRef } from "../file-ref.ts";
import { SubtaskAddress } from "./addresses.ts";
import { Asker, Audience, OwnerContext, PeerChain, ReplyOrigin, type WorkContext } from "./work-context.ts";

export const SubtaskStatus = z.enum(["pending", "running", "completed", "failed", "cancelled"]);
export type SubtaskStatus = z.infer<typeof SubtaskStatus>;

/** The changes of a subtask in its workspace (S12). */
export const Artifacts = z.looseObject({
  path: z.string(),
  branch: z.string(),
  /** The commit that people are shown and that a merge takes; 0.1.0 stored none. */
  commit: z.string().optional(),
  files: z.int(),
  insertions: z.int(),
  deletions: z.int(),
  /** Names of the changed files, truncated if there are many. */
  changed: z.array(z.string()),
});
export type Artifacts = z.infer<typeof Artifacts>;

export const SubtaskResult = z.looseObject({
  status: z.enum(["success", "partial", "failed", "timeout"]),
  output: z.string(),
  outputFile: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** Why it is not a success, and what would help. */
  error: z.string().optional(),
  artifacts: Artifacts.optional(),
  /** Files that its tools and its own subtasks made; the owner's answer sends them. */
  files: z.array(FileRef).optional(),
});
export type SubtaskResult = z.infer<typeof SubtaskResult>;

/** A message to a running subtask (S6). */
export const SubtaskNote = z.looseObject({
  /** A note with a known id is a duplicate. */
  id: z.string(),
  type: z.enum(["answer", "refinement", "retry_request"]),
  /** The agent that wrote it. */
  from: z.string().optional(),
  /** The child subtask that sent it. Absent, like `from`: the owner sent it. */
  child: z.looseObject({ id: z.string(), name: z.string(), type: z.string(), priority: z.string() }).optional(),
  /** It reports the outcome of a call that waited for an approval. */
  isApproval: z.boolean().optional(),
  content: z.string(),
  /** Files that came with the answer of another agent. */
  files: z.array(FileRef).optional(),
  at: z.iso.datetime(),
});
export type SubtaskNote = z.infer<typeof SubtaskNote>;

/** A unit of delegated work (S5), as it is stored and as its events carry it. */
export const Subtask = z.looseObject({
  id: z.string().regex(/^subtask-[0-9a-f]{8}$/),
  tenant: z.string(),
  agent: z.string(),
  /** The tool call that started it; a repeated call finds the same subtask. */
  callKey: z.string(),
  parentTurnId: z.string(),
  parentSessionId: z.string(),
  parentSubtaskId: z.string().optional(),
  /** The first turn of the work: for a person's message or a schedule run. */
  planId: z.string(),
  /** The subtask that this one retries. */
  retryOf: z.string().optional(),
  agentType: z.string(),
  name: z.string(),
  prompt: z.string(),
  expectedOutput: z.string(),
  /** The name of a model for subtasks; absent: the agent's own model. */
  model: z.string().optional(),
  /** Paths that it announced to change. */
  targetFiles: z.array(z.string()).optional(),
  /** 1 for a subtask of a session, 2 for a subtask of that. */
  depth: z.int().min(1),
  /** How it reports: in the batch, alone by a wake-up, or as the result of the call that waits for it. */
  reports: z.enum(["batch", "alone", "blocking"]),
  /** Names of the tools it may use, at most those of its parent. */
  permissions: z.looseObject({ tools: z.array(z.string()) }),
  owner: OwnerContext,
  asker: Asker,
  origin: ReplyOrigin,
  audience: Audience,
  /** The commit that its worktree started from. */
  workspace: z.looseObject({ base: z.string() }).optional(),
  background: z.boolean(),
  chain: PeerChain.optional(),
  traceId: z.string(),

  status: SubtaskStatus,
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().optional(),
  completedAt: z.iso.datetime().optional(),
  result: SubtaskResult.optional(),
  /** The call that ended it; a repeat of the call gets the same result. */
  endedBy: z.string().optional(),
  /** Runs started, and runs that yielded to another process. The difference counts crashes, and too many fail the subtask. */
  runs: z.int(),
  yields: z.int(),
  /** Set when its timeout expired. */
  stopRequestedAt: z.iso.datetime().optional(),
  /** The latest progress line, and their number. */
  note: z.string().optional(),
  notes: z.int(),
  noteKey: z.string().optional(),
  /** Number of errors and questions sent to its owner; each starts a turn there. */
  words: z.int().optional(),
  /** Oldest first. */
  inbox: z.array(SubtaskNote),
  /** The subtask's open question. */
  question: z.string().optional(),
  questionKey: z.string().optional(),
});
export type Subtask = z.infer<typeof Subtask>;

/** The work context of the turn that started the subtask; the record stores it flat. */
export const parentContextOf = (subtask: Subtask): WorkContext => {
  const { parentSessionId: sessionId, parentSubtaskId, owner, depth, planId: rootTurnId, background, chain } = subtask;
  const { origin, audience, asker, traceId } = subtask;
  const delegationContext = {
    owner,
    depth: depth - 1,
    rootTurnId,
    background,
    ...(parentSubtaskId !== undefined && { subtaskId: parentSubtaskId }),
    ...(chain !== undefined && { chain }),
  };
  return { sessionId, standing: delegationContext, origin, audience, asker, traceId };
};

/** The fields of a subtask that it inherits from the turn that starts it. Inverse of `parentContextOf`. */
export const inheritedBySubtask = ({
  sessionId,
  standing: delegationContext,
  origin,
  audience,
  asker,
  traceId,
}: WorkContext) => ({
  parentSessionId: sessionId,
  ...(delegationContext.subtaskId !== undefined && { parentSubtaskId: delegationContext.subtaskId }),
  planId: delegationContext.rootTurnId,
  depth: delegationContext.depth + 1,
  owner: delegationContext.owner,
  asker,
  origin,
  audience,
  background: delegationContext.background,
  ...(delegationContext.chain !== undefined && { chain: delegationContext.chain }),
  traceId,
});

export const hasEnded = ({ status }: Pick<Subtask, "status">): boolean => status !== "pending" && status !== "running";

/** From a subtask to its owner (S6). "completion" reports an end; the result is in the subtask's record. */
export const SubtaskMessage = z.looseObject({
  id: z.string().min(1),
  timestamp: z.iso.datetime(),
  priority: z.enum(["critical", "high", "normal", "low"]),
  subtask: SubtaskAddress,
  owner: OwnerContext,
  /** The depth of the sender. */
  depth: z.int().min(1).optional(),
  planId: z.string(),
  turnId: z.string(),
  traceId: z.string(),
  type: z.enum(["status_update", "permission_request", "question", "completion", "error"]),
  content: z.string(),
});
export type SubtaskMessage = z.infer<typeof SubtaskMessage>;

/** An answer of another agent that came after the asking subtask had ended (L2). */
export const LateA2ANotification = z.looseObject({
  id: z.string(),
  tenant: z.string(),
  agent: z.string(),
  primarySessionId: z.string(),
  subtaskId: z.string(),
  subtaskName: z.string(),
  peerAgent: z.string(),
  kind: z.enum(["result", "status", "error", "input-required"]),
  workingMemoryKey: z.string(),
});
export type LateA2ANotification = z.infer<typeof LateA2ANotification>;
