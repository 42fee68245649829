/** Bundles the widget into one script that a page loads with one tag. */
export declare const buildWidget: (outFile: string) => Promise<unknown>;
