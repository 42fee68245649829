/** Builds `widget.js`, which a page loads with one tag, and the scripts that the widget loads on demand. */
export declare const buildWidget: (folder: string) => Promise<unknown>;
