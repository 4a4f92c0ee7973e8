import { useEffect, useState } from 'preact/hooks';

/** Whether the element of this reference has been in sight: a person who scans seldom looks further down. */
export function useSeen(place) {
  const [isSeen, see] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && see(true));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return isSeen;
}
