/** Whether a file is of one of the types in `accept`, which is written as for an <input>. */
export const isAccepted = ({ name, type }: Pick<File, "name" | "type">, accept: string | undefined): boolean => {
  if (accept === undefined) return true;
  return accept
    .split(",")
    .map((wanted) => wanted.trim().toLowerCase())
    .some((wanted) => {
      if (wanted.startsWith(".")) return name.toLowerCase().endsWith(wanted);
      return wanted.endsWith("/*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
    });
};
