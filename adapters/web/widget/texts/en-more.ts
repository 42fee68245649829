import type { MoreTexts } from "./texts.ts";

export const enMore: MoreTexts = {
  cancelItem: (name) => `Cancel ${name}`,
  cancelling: "Cancelling…",
  states: { pending: "waiting", running: "running", completed: "done", failed: "failed", cancelled: "cancelled" },
  feedbackComment: "What was wrong? (optional)",
  feedbackSeen: "The operators read this.",
  skip: "Skip",
  downloadFailed: "This file is no longer available.",
  uploading: "Uploading…",
  mainConversation: "Main conversation",
  findConversation: "Find a conversation",
  noConversation: "No conversation has these words.",
  listFailed: "The list cannot be loaded now.",
  back: "Back to the conversation",
  rename: (title) => `Rename “${title}”`,
  newTitle: "New title",
  deleteConversation: (title) => `Delete “${title}”`,
  deleteForever: (title) => `Delete “${title}” with all its messages?`,
  confirmRename: "Rename",
  confirmDelete: "Delete",
};
