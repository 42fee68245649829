/** `widget.js`, which a page loads with one tag, and `widget-markdown.js`, which it loads itself when there is text. */
export declare const buildWidget: (folder: string) => Promise<unknown>;
