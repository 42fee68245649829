const FENCE = /^(`{3,}|~{3,})(.*)$/;

/**
 * Follows a text line by line and tells which lines are certainly code. It trusts only fences that nothing can end
 * early: not indented, so that no list or quote is around them, and before any line that may begin HTML.
 */
export class FenceTracker {
  #fence: string | undefined;
  #mayBeHtml = false;

  isCode(line: string): boolean {
    if (this.#fence !== undefined) {
      if (isClosing(line, this.#fence)) this.#fence = undefined;
      return true;
    }
    this.#mayBeHtml ||= /^ {0,3}</.test(line);
    const [, marker, info = ""] = FENCE.exec(line) ?? [];
    if (marker === undefined || this.#mayBeHtml || (marker.startsWith("`") && info.includes("`"))) return false;
    this.#fence = marker;
    return true;
  }
}

const isClosing = (line: string, fence: string): boolean => {
  const closing = line.replace(/^ {0,3}/, "").trimEnd();
  return closing.startsWith(fence) && closing.replaceAll(fence.charAt(0), "") === "";
};
