export declare const shiftDate: (offsetMs: number) => () => void;
