/** The commands as `/help` and the menus of platforms describe them; a menu's text has at most 100 characters. */
export const menu = {
  help: { menu: "List the commands", summary: "show this list" },
  new: {
    menu: "Start a new session; running work continues",
    summary: "start over: I forget our conversation, running work continues",
  },
  why: {
    menu: "Why I sent a message, and from which work it came",
    argument: "Its link or id; empty: the last one",
    summary: "why I sent a message on my own: the last one, or the one you reply to",
  },
  status: {
    menu: "Show running work and waiting messages",
    summary: "what I am working on for you, and messages that are waiting",
  },
  cancel: {
    menu: "Cancel running work",
    argument: "The id that status shows, answer, or all",
    summary:
      "cancel work; `/cancel answer` stops the answer I am writing, `/cancel all` ends all that I do for you now, not schedules",
  },
  approve: {
    menu: "Approve or deny calls that wait for you",
    argument: "The id, or deny and the id; empty: the list",
    summary: "the calls that wait for an approval; `/approve <id>` runs one, `/approve deny <id>` does not",
  },
  inbox: {
    menu: "Messages that may not have reached you",
    argument: "Leave empty to list them",
    summary: "messages that may not have reached you: read, resend or dismiss them",
  },
  schedules: {
    menu: "List, run, cancel or resume your schedules",
    argument: "run, cancel or resume, and the id",
    summary: "list your schedules, run one now, cancel or resume it",
  },
  memory: {
    menu: "Show or erase what I remember",
    argument: "find and words, or forget and a number or all",
    summary: "show, search or erase what I remember: about you in private, about a room in the room",
  },
  budget: {
    menu: "Show your budget for today",
    argument: "continue, to go on after a soft limit",
    summary: "what is left of your budget for today; `/budget continue` goes on after I have asked",
  },
  quiet: {
    menu: "Quiet hours, and where I may message you first",
    argument: "Such as 22:00-07:00, or off",
    summary: "when and where I may message you first; `/quiet` alone lists the choices",
  },
  timezone: {
    menu: "Your time zone",
    argument: "Such as Europe/Berlin, or auto",
    summary: "your time zone, for reminders and quiet hours",
  },
  language: {
    menu: "The language of my notices and dates",
    argument: "en, de, es, or auto",
    summary: "the language of my notices, commands and dates",
  },
  link: {
    menu: "Link this account with yours on another channel",
    argument: "The code from your other channel or browser",
    summary: "link this account with yours on another channel or in another browser, so that answers reach you on both",
  },
  unlink: {
    menu: "Undo a link",
    argument: "The channel of the other account",
    summary: "unlink this account, or yours on another channel",
  },
  report: {
    menu: "Report my last message to the operators",
    argument: "The problem with it",
    summary: "report a message of mine to the operators: the last one, or the one you reply to",
  },
};
