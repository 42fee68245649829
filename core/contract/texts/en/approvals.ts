/** Requests for an approval and their decisions. */
export const approvals = {
  badId: "An id looks like `approval-1a2b3c4d5e6f`. `/approve` lists the calls that wait.",
  none: "No call waits for an approval here.",
  heading: "These calls wait for an approval. Their arguments are in the messages that asked:",
  entry: (tool: string, state: string, ago: string, id: string) => `\`${tool}\` ${state}, asked ${ago}: \`${id}\``,
  howToDecide: "Decide with `/approve` or `/approve deny` and the id.",
  unknown: "There is no such request here. `/approve` lists the calls that wait for an approval.",
  decided: (state: string) => `Nothing to decide any more: ${state}.`,
  denied: (tool: string) => `Denied. I do not run \`${tool}\`.`,
  approved: (tool: string) => `Approved. I run \`${tool}\` with exactly these arguments.`,
  notAskedForAnHour: (tool: string) => `The next hour I do not ask about \`${tool}\`.`,
  onlyOnce: "This call can be approved only once: use `/approve` with its id.",
  notAllowed:
    "Thank you, but you cannot decide this one: it needs the right to approve calls (`approve`, or `confirm` in your own " +
    "work). An operator can grant it.",
  question: (tool: string) => `**May I run \`${tool}\`?**`,
  inPlainWords: (description: string) => `In plain words: ${description}`,
  noDescription: "the tool has no description.",
  about: (source: string, summary: string) => `${source}: “${summary}”`,
  forSchedule: "For a schedule",
  forAgent: "For another agent",
  askedForBy: (name: string) => `Asked for by ${name}`,
  destructive: "This may destroy or change data.",
  noArguments: "It has no arguments.",
  theseArguments: "It runs with exactly these arguments:",
  expires: (id: string, until: string) =>
    `\`/approve ${id}\` or \`/approve deny ${id}\`; the request expires at ${until}.`,
  approveButton: "Approve",
  hourButton: "Approve for an hour",
  denyButton: "Deny",
  states: {
    pending: "waits for an approval",
    approved: (name: string) => `approved by ${name}`,
    approvedForHour: (name: string) => `approved by ${name} for an hour`,
    running: "running",
    denied: (name: string) => `denied by ${name}`,
    expired: "not decided in time, so it was not run",
    withdrawn: "withdrawn, because the work was cancelled",
  },
  outcomes: { done: "done", failed: "failed", interrupted: "interrupted, outcome unknown", refused: "not run" },
  aPerson: "a person",
};

/** Refused rights. */
export const rights = {
  refused: (what: string, need: string) =>
    `Not allowed here: this needs the right to ${what} (\`${need}\`). An operator can grant it.`,
  useTool: (name: string) => `use the tool ${name}`,
  /** `schedule` includes `remind`, and `approve` includes `confirm`. */
  abilities: {
    delegate: "start subtasks",
    remind: "set reminders, which run once",
    schedule: "make schedules that repeat",
    remember: "store lasting memories",
    peers: "have other agents asked",
    workspace: "work on the agent's repository",
    confirm: "approve calls of tools that ask first, in one's own work",
    approve: "approve calls of tools that ask first",
  },
};
