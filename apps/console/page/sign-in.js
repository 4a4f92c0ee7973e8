import { useEffect, useRef, useState } from 'preact/hooks';
import { recall } from './device-store.js';
import { html } from './html.js';
import { countWaiting, signIn } from './session.js';
import { state } from './state.js';

export function SignIn() {
  const form = useRef();
  const [problem, setProblem] = useState(state.notice?.text ?? null);
  const [isBusy, setBusy] = useState(false);
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
  }, []);
  const submit = async (event) => {
    event.preventDefault();
    const { clientId, clientSecret, keep } = form.current.elements;
    setBusy(true);
    setProblem(null);
    try {
      await signIn({
        clientId: clientId.value.trim(),
        clientSecret: clientSecret.value.trim(),
        isKept: keep.checked,
      });
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return html`
    <main class="sign-in">
      <form class="card" ref=${form} onSubmit=${submit} aria-labelledby="sign-in">
        <img src="icon.svg" alt="" width="56" height="56" />
        <h1 id="sign-in">Inventory</h1>
        ${waiting > 0 && html`<p class="note wait" role="status">${waiting} waiting: sign in to send.</p>`}
        <label><span>Client ID</span><input name="clientId" required autocomplete="username" autocapitalize="off" spellcheck=${false} maxlength="200" /></label>
        <label><span>Client secret</span><input name="clientSecret" type="password" required autocomplete="current-password" maxlength="500" /></label>
        <label class="check"><input name="keep" type="checkbox" aria-label="Keep" aria-describedby="keep" />
          <span id="keep">Keep me signed in on this device</span></label>
        ${problem && html`<p class="alert" role="alert">${problem}</p>`}
        <button class="primary" disabled=${isBusy}>Sign in</button>
      </form>
    </main>
  `;
}

function messageOf(error) {
  if (error.status === 0)
    return state.isOnline ? 'The service does not answer.' : 'Offline: nobody can sign in now.';
  if (error.status === 400 || error.status === 401) return 'The client ID or the secret is wrong.';
  return error.message;
}
