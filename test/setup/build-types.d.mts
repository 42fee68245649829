export const buildTypes: (outdir: string) => void;
