import { useEffect, useState } from "preact/hooks";

/** Whether the tab is visible. */
export const useVisible = (): boolean => {
  const [isVisible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const follow = () => setVisible(!document.hidden);
    document.addEventListener("visibilitychange", follow);
    return () => document.removeEventListener("visibilitychange", follow);
  }, []);
  return isVisible;
};
