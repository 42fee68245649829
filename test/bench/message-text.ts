/** The text of every message that needs no tool: the demo model repeats it. */
export const MESSAGE_TEXT = "The harbour is quiet and the sea is calm.";
