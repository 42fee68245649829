/** The entries that show work while it runs. */
export const activity = {
  working: (names: string) => `Working on: ${names}`,
  worked: (names: string) => `Worked on: ${names}`,
  using: (names: string) => `Using ${names}`,
  used: (names: string) => `Used ${names}`,
  states: { pending: "waiting", running: "working", completed: "done", failed: "failed", cancelled: "cancelled" },
  task: (number: number) => `Task ${number}`,
  and: "and",
};
