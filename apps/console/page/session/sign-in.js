import { useEffect, useRef, useState } from 'preact/hooks';
import { recall } from '../base/device-store.js';
import { html } from '../base/html.js';
import { state, update } from '../base/state.js';
import { Camera, hasCamera } from '../devices/camera.js';
import { readKeys } from '../devices/keys.js';
import { countWaiting, signIn } from './session.js';
import { isSignInCode, takeSignInCode } from './sign-in-code.js';

export function SignIn() {
  const form = useRef();
  // Why a person stands here again; a try that fails does not take it away.
  const [why] = useState(state.notice?.text ?? null);
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const [isFilming, film] = useState(false);
  const [waiting, setWaiting] = useState(0);
  useEffect(() => {
    const { clientId, clientSecret } = form.current.elements;
    clientId.focus();
    recall('clientId').then((known) => {
      if (known === undefined || clientId.value !== '') return;
      clientId.value = known;
      clientSecret.focus();
    });
    countWaiting().then(setWaiting);
    return readKeys(clientId, takeSignInCode, isSignInCode);
  }, []);
  const trySignIn = async (given, isByCode = false) => {
    setBusy(true);
    setProblem(null);
    const { clientId, clientSecret, keep } = form.current.elements;
    try {
      await signIn({ ...given, isKept: keep.checked, offersKeep: isByCode && !keep.checked });
    } catch (error) {
      // A code is taken once, and without a network it may be right.
      if (error.status === 0) [clientId.value, clientSecret.value] = [given.clientId, given.clientSecret];
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  useEffect(() => {
    const { code } = state;
    if (code === null) return;
    update({ code: null });
    if (code.isBroken) setProblem(brokenCode);
    else trySignIn(code, true);
  }, [state.code]);
  const submit = (event) => {
    event.preventDefault();
    const { clientId, clientSecret } = form.current.elements;
    const typed = [clientId, clientSecret].map(({ value }) => value.trim());
    const code = typed.find(isSignInCode);
    if (code !== undefined) {
      clientId.value = '';
      clientSecret.value = '';
      return takeSignInCode(code);
    }
    const empty = [clientId, clientSecret].find(({ value }) => value.trim() === '');
    if (empty === undefined) return trySignIn({ clientId: typed[0], clientSecret: typed[1] });
    setProblem('A client ID and its secret are needed.');
    empty.focus();
  };
  const onCode = (data) => {
    film(false);
    if (isSignInCode(data)) takeSignInCode(data);
    else setProblem('This is no code for signing in.');
  };
  return html`
    <main class="sign-in">
      <form class="card" ref=${form} onSubmit=${submit} aria-labelledby="sign-in" novalidate>
        <img src="icon.svg" alt="" width="56" height="56" />
        <h1 id="sign-in">Inventory</h1>
        ${why && html`<p class="alert" role="alert">${why}</p>`}
        ${waiting > 0 && html`<p class="note wait" role="status">${waiting} waiting: sign in to send.</p>`}
        <label><span>Client ID</span><input name="clientId" required autocomplete="username" autocapitalize="off" spellcheck=${false} maxlength="500" /></label>
        <label><span>Client secret</span><input name="clientSecret" type="password" required autocomplete="current-password" maxlength="500" /></label>
        <label class="check"><input name="keep" type="checkbox" aria-label="Keep" aria-describedby="keep" />
          <span id="keep">Keep me signed in on this device</span></label>
        ${problem && html`<p class="alert" role="alert">${problem}</p>`}
        <button class="primary" disabled=${isBusy}>Sign in</button>
        ${hasCamera() && html`<button type="button" class="plain" onClick=${() => film(true)}>Scan a code</button>`}
        ${isFilming && html`<${Camera} onEnd=${() => film(false)} onCode=${onCode} />`}
      </form>
    </main>
  `;
}

const brokenCode = 'This code for signing in cannot be read. Scan it again.';

function messageOf(error) {
  if (error.status === 0) return 'Offline: the service does not answer, so nobody can sign in now.';
  if (error.status === 400 || error.status === 401) return 'The client ID or the secret is wrong.';
  return error.message;
}

/** A code for signing in that was opened or scanned while somebody is signed in. */
export function SignInAnother({ code }) {
  const { me } = state.session;
  const isSame = code.clientId === me.clientId;
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(isSame);
  const first = useRef();
  const leave = () => update({ code: null });
  const trySignIn = async () => {
    setBusy(true);
    try {
      const isKept = isSame && state.session.isKept;
      await signIn({ ...code, isKept, offersKeep: !isKept });
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  useEffect(() => {
    // Its new secret, which nobody needs to be asked about.
    if (isSame) trySignIn();
    else first.current.focus();
  }, []);
  const another = html`<bdi>${code.clientId}</bdi>`;
  if (code.isBroken)
    return html`<div class="alert" role="alert"><p>${brokenCode}</p><button onClick=${leave}>Close</button></div>`;
  return html`<section class="card work" aria-labelledby="another" onKeyDown=${(event) => event.key === 'Escape' && leave()}>
    <h2 id="another">Sign in as ${another}?</h2>
    <p>You are signed in as <bdi>${me.clientId}</bdi>.${state.waiting > 0 && ` Its waiting work (${state.waiting}) is sent when this client signs in again.`}</p>
    ${problem && html`<p class="alert" role="alert">${problem}</p>`}
    <div class="confirm">
      <button class="plain" onClick=${leave}>Stay</button>
      <button class="primary" ref=${first} disabled=${isBusy} onClick=${trySignIn}>Sign in as ${another}</button>
    </div>
  </section>`;
}
