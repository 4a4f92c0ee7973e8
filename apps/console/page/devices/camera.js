import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from '../base/html.js';

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
    const read = await openReader();
    while (!signal.aborted) {
      const code = await read(video);
      if (code !== undefined) return code;
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

/** Reads the first code of a picture: by the browser, or else by WebAssembly that this service serves. */
async function openReader() {
  if ('BarcodeDetector' in globalThis) {
    const formats = await globalThis.BarcodeDetector.getSupportedFormats();
    const own = new globalThis.BarcodeDetector();
    if (formats.length > 0) return async (video) => (await own.detect(video))[0]?.rawValue;
  }
  const { prepareZXingModule, readBarcodes } = await importReader();
  // Of the version that this module was asked for by.
  const { search } = new URL(import.meta.url);
  const reader = new URL(`modules/zxing_reader.wasm${search}`, document.baseURI).href;
  prepareZXingModule({ overrides: { locateFile: () => reader } });
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  return async (video) => {
    // The first picture may not be there yet.
    if (video.videoWidth === 0) return undefined;
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    context.drawImage(video, 0, 0);
    const picture = context.getImageData(0, 0, canvas.width, canvas.height);
    const [code] = await readBarcodes(picture, { maxNumberOfSymbols: 1, textMode: 'Plain' });
    // Without its identifier, a GS1 code that begins with a serial is a text like any other.
    return code?.contentType === 'GS1' ? code.symbologyIdentifier + code.text : code?.text;
  };
}

/** The library, which is not loaded with the page. After an upgrade, the service has only the next version. */
async function importReader() {
  try {
    return await import('zxing-wasm/reader');
  } catch (error) {
    const answer = await fetch(import.meta.resolve('zxing-wasm/reader')).catch(() => null);
    if (answer === null) throw new Error('Offline: the camera cannot be used.');
    if (answer.status !== 404) throw error;
    throw new Error('This page was updated meanwhile. Reload it to use the camera.');
  }
}
