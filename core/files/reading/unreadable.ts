/** Says, after "it …", why a file has no text. Any other error means that the file is damaged. */
export class Unreadable extends Error {}
