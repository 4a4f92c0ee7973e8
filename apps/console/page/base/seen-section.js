import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from './html.js';

/**
 * A section whose content is drawn, and so read, once it is in sight: a person who scans seldom looks further
 * down. `more`: what follows it in any case.
 */
export function SeenSection({ id, title, more, children }) {
  const section = useRef();
  const [isSeen, see] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && see(true));
    observer.observe(section.current);
    return () => observer.disconnect();
  }, []);
  return html`<section class="card" aria-labelledby=${id} ref=${section}>
    <h2 id=${id}>${title}</h2>
    ${isSeen ? children : html`<p class="note">…</p>`}
    ${more}
  </section>`;
}
