import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from './html.js';

const lookEveryMs = 150;

/** Browsers give a camera only to pages over https, or of this machine. */
export const hasCamera = () => navigator.mediaDevices?.getUserMedia !== undefined;

/** Films until a code is seen. */
export function Camera({ onCode, onEnd }) {
  const dialog = useRef();
  const video = useRef();
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    const ending = new AbortController();
    dialog.current.showModal();
    film(video.current, ending.signal).then(
      (code) => code !== null && onCode(code),
      (error) => setProblem(error.name === 'NotAllowedError' ? 'The camera is not allowed.' : error.message),
    );
    return () => ending.abort();
  }, []);
  return html`
    <dialog ref=${dialog} class="film" aria-label="Camera" onClose=${onEnd}>
      <video ref=${video} muted playsinline></video>
      ${problem && html`<p class="alert" role="alert">${problem}</p>`}
      <button type="button" onClick=${() => dialog.current.close()}>Close</button>
    </dialog>
  `;
}

/** The first code before the camera; null when it was ended. */
async function film(video, signal) {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  const stop = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    video.srcObject = stream;
    await video.play();
    const detector = await openDetector();
    while (!signal.aborted) {
      const [code] = await detector.detect(video);
      if (code !== undefined) return code.rawValue;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
    return null;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    stop();
  }
}

/** The browser's own reader, or else one in WebAssembly, which this service serves. */
async function openDetector() {
  if ('BarcodeDetector' in globalThis) {
    const formats = await globalThis.BarcodeDetector.getSupportedFormats();
    if (formats.length > 0) return new globalThis.BarcodeDetector();
  }
  const { BarcodeDetector, prepareZXingModule } = await import('barcode-detector');
  const reader = new URL('modules/zxing_reader.wasm', document.baseURI).href;
  prepareZXingModule({ overrides: { locateFile: () => reader } });
  return new BarcodeDetector();
}
