import type { ActivityState } from "../../../../core/contract/messages/agent-reply.ts";

/** The widget's own texts in one language. */
export interface Texts {
  readonly title: string;
  readonly greeting: string;
  readonly open: string;
  readonly close: string;
  unread(count: number): string;
  readonly newConversation: string;
  /** The list of conversations. */
  readonly conversations: string;
  unreadIn(title: string): string;
  readonly messages: string;
  readonly earlier: string;
  /** Instead of earlier messages that are no longer stored. */
  readonly expired: string;
  readonly toEnd: string;
  readonly typing: string;
  /** The status texts below the title fit into one line of about 37 characters. */
  readonly connecting: string;
  readonly online: string;
  readonly offline: string;
  /** The gateway cannot store messages. */
  readonly unavailable: string;
  readonly tooManyTabs: string;
  readonly refused: string;
  readonly ownerOnly: string;
  readonly linkUsed: string;
  readonly signedOut: string;
  readonly startOver: string;
  readonly input: string;
  readonly placeholder: string;
  readonly send: string;
  readonly stop: string;
  readonly attach: string;
  readonly drop: string;
  tooLarge(max: string): string;
  readonly wrongType: string;
  readonly emptyFile: string;
  readonly tooManyFiles: string;
  readonly uploadFailed: string;
  tooLong(by: number): string;
  readonly waiting: string;
  notSent(why: string): string;
  readonly retry: string;
  readonly discard: string;
  readonly reply: string;
  readonly copy: string;
  readonly copied: string;
  readonly copyCode: string;
  readonly edit: string;
  /** Above the input while an own message is edited. */
  readonly editing: string;
  readonly cancelEdit: string;
  /** Asks for another answer. */
  readonly regenerate: string;
  /** The rating buttons of an answer. */
  readonly good: string;
  readonly bad: string;
  replyingTo(about: string): string;
  readonly noReply: string;
  readonly showAll: string;
  readonly showOrigin: string;
  readonly why: string;
  startedFrom(channel: string, at: string): string;
  askedFrom(channel: string, at: string): string;
  readonly scheduled: string;
  readonly fromAgent: string;
  readonly newMessage: string;
  readonly dismiss: string;
  cancelled(name: string): string;
}

/** The texts of the views in `widget-more.js`, where their English version is too. */
export interface MoreTexts {
  remove(name: string): string;
  readonly download: string;
  /** The menu of slash commands. */
  readonly commands: string;
  /** Counts of finished work, and of failed and cancelled work among it. */
  progress(ended: number, all: number, failed: number, cancelled: number): string;
  readonly cancel: string;
  version(shown: number, count: number): string;
  readonly olderVersion: string;
  readonly newerVersion: string;
  readonly earlierVersion: string;
  readonly newestVersion: string;
  /** The button that writes down speech, what it does with the sound, and its states. */
  readonly speak: string;
  readonly speakHint: string;
  readonly stopListening: string;
  readonly listening: string;
  readonly listeningEnded: string;
  readonly microphoneDenied: string;
  readonly microphoneMissing: string;
  readonly noSpeech: string;
  readonly speechUnreachable: string;
  readonly speechLanguage: string;
  readonly speechFailed: string;
  cancelItem(name: string): string;
  readonly cancelling: string;
  readonly states: Readonly<Record<ActivityState, string>>;
  readonly feedbackComment: string;
  readonly feedbackSeen: string;
  readonly skip: string;
  readonly downloadFailed: string;
  readonly uploading: string;
  readonly mainConversation: string;
  readonly findConversation: string;
  readonly noConversation: string;
  readonly listFailed: string;
  readonly back: string;
  rename(title: string): string;
  readonly newTitle: string;
  deleteConversation(title: string): string;
  deleteForever(title: string): string;
  readonly confirmRename: string;
  readonly confirmDelete: string;
}

/** A language other than English has all texts in one script. */
export type Translation = Texts & MoreTexts;

/** English is part of `widget.js`; each other language is a script of its own. */
export const LANGUAGES = ["en", "de", "es"];

/** The first supported language. */
export const languageOf = (locales: readonly string[]): string =>
  locales.map((locale) => locale.toLowerCase().split("-")[0] ?? "").find((name) => LANGUAGES.includes(name)) ?? "en";
