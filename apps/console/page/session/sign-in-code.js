import { update } from '../base/state.js';

// A scanner may be set to another keyboard, so that its signs are others.
const looksLikeCode = /console.*secret|#.*secret=/is;
const looksLikeEnd = /secret=/i;

/**
 * Whether a text holds a client's secret, as the code of `inventory client secret --qr` does, even in part.
 * `isWhole`: false for the end of a code.
 */
export const isSignInCode = (text, isWhole = true) => (isWhole ? looksLikeCode : looksLikeEnd).test(text);

/** Goes on with a code for signing in, which is nothing to look up. */
export function takeSignInCode(text) {
  const given = new URLSearchParams(text.slice(text.indexOf('#') + 1).trim());
  const [clientId, clientSecret] = [given.get('id'), given.get('secret')];
  update({ code: clientId && clientSecret ? { clientId, clientSecret } : { isBroken: true } });
}

/** Takes the code out of the address, also out of the browser's history. */
function takeFromAddress() {
  const { hash, pathname, search } = location;
  if (!isSignInCode(hash)) return;
  history.replaceState(null, '', pathname + search);
  takeSignInCode(hash);
}

// Before anything else of the page runs.
takeFromAddress();
window.addEventListener('hashchange', takeFromAddress);
