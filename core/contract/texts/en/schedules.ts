/** Schedules and reminders, and the notices about them. */
export const schedules = {
  none: 'You have no schedules yet. Just ask me, for example: "every weekday at 9, send me the news".',
  heading: "Your schedules:",
  usage:
    "`/schedules` lists your schedules. To change one: `/schedules run <id>`, `/schedules cancel <id>` or `/schedules resume <id>`.",
  cancelButton: (description: string) => `Cancel “${description}”`,
  resumeButton: (description: string) => `Resume “${description}”`,
  running: (description: string) => `I am running "${description}" now.`,
  resumed: (description: string) => `"${description}" is active again.`,
  cancelled: (description: string) => `"${description}" is cancelled.`,
  unknown: (id: string) => `You have no schedule "${id}". \`/schedules\` lists yours.`,
  noMoreRuns: "This schedule has no more runs. Ask me for a new one.",
  entry: (description: string, id: string, rhythm: string) => `"${description}" (${id}): ${rhythm}`,
  paused: ", paused",
  failures: (count: number) => `, failed ${count} ${count === 1 ? "time" : "times"} in a row`,
  failing: (description: string, count: number) =>
    `The schedule "${description}" failed ${count} times in a row. I will keep trying, less often.`,
  failedAndPaused: (description: string, count: number, id: string) =>
    `The schedule "${description}" failed ${count} times in a row and is paused. Resume it with \`/schedules resume ${id}\`.`,
  pausedBecause: (description: string, reason: string, id: string) =>
    `I paused the schedule "${description}", because ${reason}. Resume it with \`/schedules resume ${id}\`.`,
  notAllowed: "its owner may not make such schedules any more",
  away: (days: number) => `its owner has not written to me for ${days} days`,
  couldNotRun: (description: string, prompt: string) => `I could not run “${description}”. It was: ${prompt}`,
  skipped: (description: string) => `The schedule “${description}” is skipped until the budget renews.`,
  cancelWith: (id: string) => `To cancel the schedule, use \`/schedules cancel ${id}\`.`,
};

/** The times of a schedule. */
export const rhythm = {
  once: (moment: string, zone: string) => `once, on ${moment} ${zone}`,
  next: (rhythm: string, moment: string) => `${rhythm}, next: ${moment}`,
  every: {
    week: (count: number) => (count === 1 ? "every week" : `every ${count} weeks`),
    day: (count: number) => (count === 1 ? "every day" : `every ${count} days`),
    hour: (count: number) => (count === 1 ? "every hour" : `every ${count} hours`),
    minute: (count: number) => (count === 1 ? "every minute" : `every ${count} minutes`),
    second: (count: number) => (count === 1 ? "every second" : `every ${count} seconds`),
  },
  at: (days: string, time: string, zone: string) => `${days} at ${time} ${zone}`,
  minuteOfHour: (minute: number) => `every hour at minute ${minute}`,
  cron: (expression: string, zone: string) => `by the cron expression "${expression}" in ${zone}`,
  weekday: "every weekday",
  on: (day: string) => `every ${day}`,
  days: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
  dayOfMonth: (day: number) => `on day ${day} of every month`,
};
